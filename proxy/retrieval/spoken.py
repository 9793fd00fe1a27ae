"""What a model said in one round: its text, its calls, which of them are ours, and how the next round shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec

from proxy.retrieval.tool import NAME
from proxy.wire.meaning import REASONING_FIELDS

SEPARATOR = "\n\n"
"""Between the texts of two rounds, which the client sees as one."""

# Where a model was stopped, its last call may be half a call; no other reason stops it in the middle.
_CUT = frozenset({"length", "content_filter"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """One assistant message. `calls` holds all calls in the model's order; those of ours have an id each."""

    fields: dict[str, Any]
    calls: tuple[dict[str, Any], ...]
    finish: str | None

    @property
    def ours(self) -> list[dict[str, Any]]:
        """The calls that the proxy answers."""
        return [call for call in self.calls if is_ours(call)]

    @property
    def theirs(self) -> list[dict[str, Any]]:
        """The calls that the client answers."""
        return [call for call in self.calls if not is_ours(call)]

    @property
    def is_cut(self) -> bool:
        """Whether the model was stopped before it had said all."""
        return self.finish in _CUT

    @property
    def content(self) -> Any:
        """The text, or the parts, as the provider gave them; None where there are none."""
        return self.fields.get("content") or None

    def message(self) -> bytes:
        """The message as the next round carries it: what a model must see again of its own turn, and no more."""
        reasoning = {name: value for name, value in self.fields.items() if name in REASONING_FIELDS and value}
        return encoded(
            {"role": "assistant", "content": self.content, **reasoning, "tool_calls": [*map(carried, self.calls)]}
        )


def spoken(message: dict[str, Any], finish: str | None, round_: int) -> Spoken:
    """What `message` says. Calls of ours without an id, or with one that is taken, get one of this round."""
    given = message.get("tool_calls")
    calls = [call for call in given if isinstance(call, dict)] if isinstance(given, list) else []
    taken = {call.get("id") for call in calls if not is_ours(call)}
    sound: list[dict[str, Any]] = []
    for number, call in enumerate(calls):
        if is_ours(call):
            given_id = call.get("id")
            is_free = isinstance(given_id, str) and given_id and given_id not in taken
            call = {**call, "id": given_id if is_free else f"call_read_{round_}_{number}"}  # noqa: PLW2901 -- the same
            taken.add(call["id"])
        sound.append(call)
    fields = {name: value for name, value in message.items() if name not in ("role", "tool_calls")}
    return Spoken(fields, tuple(sound), finish)


def is_ours(call: dict[str, Any]) -> bool:
    """Whether a call names our tool."""
    function = call.get("function")
    return isinstance(function, dict) and function.get("name") == NAME


def arguments_of(call: dict[str, Any]) -> str:
    """The argument string of a call of ours."""
    arguments = call["function"].get("arguments")
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def result(call: dict[str, Any], text: str) -> bytes:
    """The tool message that answers a call."""
    return encoded({"role": "tool", "tool_call_id": call["id"], "content": text})


def encoded(message: dict[str, Any]) -> bytes:
    """A message of ours as bytes, halves of surrogate pairs joined or replaced."""
    try:
        return msgspec.json.encode(message)
    except UnicodeEncodeError:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def carried(call: dict[str, Any]) -> dict[str, Any]:
    """A call as it stands in the history; in one of ours arguments that are no JSON object give way to an empty one.

    What is wrong with them the result tells the model; in the history a strict provider would refuse them for ever.
    """
    if not is_ours(call):
        return call
    arguments = arguments_of(call)
    try:
        is_object = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        is_object = False
    function = {**call["function"], "arguments": arguments if is_object else "{}"}
    return {**call, "type": "function", "function": function}
