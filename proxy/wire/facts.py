"""From one decoded message to the facts that decide about it.

Counting follows OpenAI's cookbook ("How to count tokens with tiktoken"): three tokens around each message and one
for its role, one more for a name. A tool call costs its name, its arguments and eight around them (what the
chat format writes to address a function and to close the call). Ids are not text that a model reads and cost
nothing. What weighs nothing in `parts` or `calls` cannot be replaced there: media, and arguments that are no JSON text.
"""

from __future__ import annotations

from typing import Any

from policies.conversation import Call, Message, Role
from proxy.errors import RequestError
from proxy.wire import meaning
from proxy.wire.parts import UNSEEN_AUDIO, Count, estimate, is_text, part_tokens

MESSAGE_TOKENS = 4
NAME_TOKENS = 1
CALL_TOKENS = 8

# A role that OpenAI does not know passes: such a message is a turn of its own and never reduced.
_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_COUNTED = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio"})


def message_facts(message: Any, param: str, count: Count) -> Message:
    """The facts of a decoded message; RequestError, naming the field below `param`, where it is none."""
    role = check_message(message, param)
    content = message.get("content")
    parts, content_tokens = _content(content, count)
    calls, call_tokens = _calls(message, count)
    name = message.get("name")
    return Message(
        role=_ROLES.get(role, "other"),
        digest=meaning.digest(meaning.canonical(message)),
        tokens=MESSAGE_TOKENS + content_tokens + call_tokens + _other_tokens(message, count),
        extra_tokens=_extra_tokens(message, count),
        parts=parts,
        calls=calls,
        result_of=_text(message.get("tool_call_id")) if _ROLES.get(role) == "tool" else None,
        name=name if isinstance(name, str) else None,
    )


def check_message(message: Any, param: str) -> str:
    """The role of a message whose fields have the types that the API knows; nothing stricter is asked."""
    if not isinstance(message, dict):
        raise RequestError(f"{param} must be an object, not {_kind(message)}", param=param)
    role = message.get("role")
    if not isinstance(role, str):
        raise RequestError(f"{param}.role must be a string, not {_kind(role)}", param=f"{param}.role")
    content = message.get("content")
    if not isinstance(content, str | list | None):
        field = f"{param}.content"
        raise RequestError(f"{field} must be a string, a list or null, not {_kind(content)}", param=field)
    _check_calls(message.get("tool_calls"), f"{param}.tool_calls")
    return role


def call_list(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of a message in the order that edits count them; a legacy function call comes last."""
    calls = list(message.get("tool_calls") or ())
    if isinstance(legacy := message.get("function_call"), dict):
        calls.append({"function": legacy})
    return calls


def _check_calls(calls: Any, param: str) -> None:
    if not isinstance(calls, list | None):
        raise RequestError(f"{param} must be a list, not {_kind(calls)}", param=param)
    for index, call in enumerate(calls or ()):
        if not isinstance(call, dict):
            field = f"{param}[{index}]"
            raise RequestError(f"{field} must be an object, not {_kind(call)}", param=field)


def _content(content: str | list[Any] | None, count: Count) -> tuple[tuple[int, ...], int]:
    """The tokens of each text part, and of all content."""
    if content is None:
        return (), 0
    if isinstance(content, str):
        tokens = count(content)
        return (tokens,), tokens
    said = [0 if meaning.is_reasoning_part(part) else part_tokens(meaning.clean(part), count) for part in content]
    texts = tuple(tokens if is_text(part) else 0 for part, tokens in zip(content, said, strict=True))
    return texts, sum(said)


def _calls(message: dict[str, Any], count: Count) -> tuple[tuple[Call, ...], int]:
    calls: list[Call] = []
    total = 0
    for call in call_list(message):
        made, tokens = _call(call, count)
        calls.append(made)
        total += tokens
    return tuple(calls), total


def _call(call: dict[str, Any], count: Count) -> tuple[Call, int]:
    match call:
        case {"function": dict(function)}:
            given = function.get("arguments")
            name = _text(function.get("name"))
            if isinstance(given, str):
                arguments = count(given)
                return Call(_text(call.get("id")), name, arguments), CALL_TOKENS + count(name) + arguments
            tokens = 0 if given is None else count(meaning.compact(given))
            return Call(_text(call.get("id")), name, 0), CALL_TOKENS + count(name) + tokens
        case {"custom": {"name": str(name), "input": str(given)}}:
            return Call(_text(call.get("id")), name, 0), CALL_TOKENS + count(name) + count(given)
        case _:
            return Call(_text(call.get("id")), "", 0), CALL_TOKENS + estimate(meaning.clean(call))


def _other_tokens(message: dict[str, Any], count: Count) -> int:
    tokens = 0
    if isinstance(name := message.get("name"), str):
        tokens += NAME_TOKENS + count(name)
    if isinstance(refusal := message.get("refusal"), str):
        tokens += count(refusal)
    if message.get("audio") is not None:
        tokens += UNSEEN_AUDIO
    return tokens


def _extra_tokens(message: dict[str, Any], count: Count) -> int:
    """Reasoning by its longest carrier, for the carriers repeat one another; the rest is estimated."""
    reasoning = 0
    other = 0
    for key in message.keys() - _COUNTED:
        value = message[key]
        if value is None:
            continue
        if key in meaning.REASONING_FIELDS:
            reasoning = max(reasoning, count(value) if isinstance(value, str) else estimate(value))
        else:
            other += estimate(value)
    content = message.get("content")
    return reasoning + other + (sum(map(_extra_in_part, content)) if isinstance(content, list) else 0)


def _extra_in_part(part: Any) -> int:
    if meaning.is_reasoning_part(part):
        return estimate(part)
    if not is_text(part):
        return 0
    return sum(estimate(value) for key, value in part.items() if key not in ("type", "text") and value is not None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null or missing"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return "an object"
