"""Is a request one that a strict provider accepts, and does it still say what the client said?

`violations` judges a body by itself: roles, content, calls and their results. `changed_by_the_way` compares it
with the body that the client sent: what no proxy may add, break or reword. Both answer with sentences that
name the message, and with none where all is well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

Message = Mapping[str, Any]

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_SYSTEM = frozenset({"system", "developer"})
_PARTS = {
    "system": {"text"},
    "developer": {"text"},
    "user": {"text", "image_url", "input_audio", "file"},
    "assistant": {"text", "refusal"},
    "tool": {"text"},
}
_INSTEAD_OF_CONTENT = ("tool_calls", "function_call", "refusal", "audio")


def violations(body: Mapping[str, Any]) -> tuple[str, ...]:
    """What a strict provider would refuse in this body, in order."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return ("messages is not a list with at least one message",)
    odd = [
        f"message {i} is {type(m).__name__}, not an object" for i, m in enumerate(messages) if not isinstance(m, dict)
    ]
    if odd:
        return tuple(odd)
    return (*_roles(messages), *_contents(messages), *_calls(messages))


def changed_by_the_way(body: Mapping[str, Any], sent: Mapping[str, Any]) -> tuple[str, ...]:
    """What differs from the client's own body `sent` in a way that no edit may cause."""
    after, before = body["messages"], sent["messages"]
    return (
        *_system_moved(after, before),
        *_last_user_message(after, before),
        *_users_in_a_row(after, before),
        *_arguments(after, before),
    )


def _roles(messages: Sequence[Message]) -> Iterator[str]:
    for index, message in enumerate(messages):
        if message.get("role") not in ROLES:
            yield f"message {index} has the role {message.get('role')!r}"
    if not any(message.get("role") == "user" for message in messages):
        yield "no message is the user's"


def _contents(messages: Sequence[Message]) -> Iterator[str]:
    for index, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if isinstance(content, str):
            continue
        if content is None:
            if role != "function" and not (role == "assistant" and any(message.get(k) for k in _INSTEAD_OF_CONTENT)):
                yield f"message {index} ({role}) has no content"
        elif not isinstance(content, list) or not content:
            yield f"message {index} ({role}) has content of type {type(content).__name__}, or an empty list"
        else:
            yield from _parts(index, role, content)


def _parts(index: int, role: Any, parts: Sequence[Any]) -> Iterator[str]:
    legal = _PARTS.get(role, {"text"})
    for position, part in enumerate(parts):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in legal:
            yield f"message {index} ({role}) has a part {position} of type {kind!r}"
        elif kind == "text" and not isinstance(part.get("text"), str):
            yield f"message {index} ({role}) has a text part {position} without text"


def _calls(messages: Sequence[Message]) -> Iterator[str]:
    """Every call has exactly its results, right behind it; no result stands alone."""
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        if message.get("role") == "tool":
            id_ = message.get("tool_call_id")
            if id_ in open_ids:
                open_ids.remove(id_)
            else:
                yield f"message {index} answers the call {id_!r}, which is not open: orphan or duplicate"
            continue
        if open_ids:
            yield f"message {index} ({message.get('role')}) comes before the results of {', '.join(open_ids)}"
        open_ids = [call.get("id") for call in message.get("tool_calls") or ()]
        if len(set(open_ids)) < len(open_ids):
            yield f"message {index} makes two calls of one id"
        for call in message.get("tool_calls") or ():
            if not isinstance(call.get("function", {}).get("arguments"), str):
                yield f"message {index} makes a call {call.get('id')!r} whose arguments are no string"
    if open_ids:
        yield f"the request ends before the results of {', '.join(open_ids)}"


def _system_moved(after: Sequence[Message], before: Sequence[Message]) -> Iterator[str]:
    texts = [[m for m in messages if m.get("role") in _SYSTEM] for messages in (after, before)]
    if texts[0] != texts[1]:
        yield "the system messages are not those that the client sent"
    if before[0].get("role") in _SYSTEM and after[0] != before[0]:
        yield "the first message is not the client's system message"


def _last_user_message(after: Sequence[Message], before: Sequence[Message]) -> Iterator[str]:
    """The newest order keeps its bytes; only the pinned first one may carry a notice behind them."""
    mine = next((m for m in reversed(before) if m.get("role") == "user"), None)
    theirs = next((m for m in reversed(after) if m.get("role") == "user"), None)
    if mine is None or theirs == mine:
        return
    pinned = all(m.get("role") != "assistant" for m in before[: _place(before, mine)])
    if not (pinned and theirs is not None and _starts_with(theirs, mine)):
        yield "the last user message is not the one that the client sent"


def _users_in_a_row(after: Sequence[Message], before: Sequence[Message]) -> Iterator[str]:
    sent = [pair for pair in pairwise(before) if _both_user(pair)]
    for index, pair in enumerate(pairwise(after)):
        if not _both_user(pair):
            continue
        if not any(_starts_with(pair[0], first) and _starts_with(pair[1], second) for first, second in sent):
            yield f"messages {index} and {index + 1} are both the user's, and the client did not send them so"


def _arguments(after: Sequence[Message], before: Sequence[Message]) -> Iterator[str]:
    """Arguments that were a JSON object stay one; ids may be reused, so all calls of an id are taken together."""
    objects: dict[str, bool] = {}
    for id_, text in _argument_texts(before):
        objects[id_] = objects.get(id_, True) and _is_object(text)
    for id_, text in _argument_texts(after):
        if objects.get(id_) and not _is_object(text):
            yield f"the arguments of call {id_!r} were a JSON object and are none now"


def _argument_texts(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    for message in messages:
        for call in message.get("tool_calls") or ():
            text = call.get("function", {}).get("arguments")
            if isinstance(text, str):
                yield str(call.get("id")), text


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _both_user(pair: tuple[Message, Message]) -> bool:
    return pair[0].get("role") == "user" and pair[1].get("role") == "user"


def _place(messages: Sequence[Message], wanted: Message) -> int:
    return max(index for index, message in enumerate(messages) if message is wanted)


def _starts_with(message: Message, start: Message) -> bool:
    """Whether `message` is `start`, or `start` with more text or parts behind its content."""
    if {**message, "content": None} != {**start, "content": None}:
        return False
    content, first = message.get("content"), start.get("content")
    if first is None:
        return content is None or isinstance(content, str)
    if isinstance(content, str) and isinstance(first, str):
        return content.startswith(first)
    if isinstance(content, list):
        parts = [{"type": "text", "text": first}] if isinstance(first, str) else first
        return isinstance(parts, list) and content[: len(parts)] == parts
    return bool(content == first)
