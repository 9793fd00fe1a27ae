"""What a model said in one round: its text, its calls, which of them are ours, and how the next round shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import msgspec

from proxy.retrieval.tool import READ_ONLY
from proxy.wire.meaning import REASONING_FIELDS

SEPARATOR = "\n\n"
"""Between the texts of two rounds, which the client sees as one."""

# Where a model was stopped, its last call may be half a call; no other reason stops it in the middle.
_CUT = frozenset({"length", "content_filter"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """One assistant message. `calls` holds all calls in the model's order; those of `tools`, ours, have an id each."""

    fields: dict[str, Any]
    calls: tuple[dict[str, Any], ...]
    finish: str | None
    tools: frozenset[str] = READ_ONLY

    @property
    def ours(self) -> list[dict[str, Any]]:
        """The calls that the proxy answers."""
        return [call for call in self.calls if is_ours(call, self.tools)]

    @property
    def theirs(self) -> list[dict[str, Any]]:
        """The calls that the client answers."""
        return [call for call in self.calls if not is_ours(call, self.tools)]

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
        return encoded({"role": "assistant", "content": self.content, **reasoning, "tool_calls": self.carried()})

    def carried(self) -> list[dict[str, Any]]:
        """The calls as they stand in the history."""
        return [carried(call) if is_ours(call, self.tools) else call for call in self.calls]


def spoken(message: dict[str, Any], finish: str | None, round_: int, tools: frozenset[str]) -> Spoken:
    """What `message` says; `tools` are the names of ours.

    Calls of ours without an id, or with one that is taken, get one of this round.
    """
    given = message.get("tool_calls")
    calls = [call for call in given if isinstance(call, dict)] if isinstance(given, list) else []
    taken = {call.get("id") for call in calls if not is_ours(call, tools)}
    sound: list[dict[str, Any]] = []
    for number, call in enumerate(calls):
        if is_ours(call, tools):
            given_id = call.get("id")
            is_free = isinstance(given_id, str) and given_id and given_id not in taken
            sound_id = given_id if is_free else f"call_read_{round_}_{number}"
            call = {**call, "id": sound_id}  # noqa: PLW2901 -- the same call
            taken.add(call["id"])
        sound.append(call)
    fields = {name: value for name, value in message.items() if name not in ("role", "tool_calls")}
    return Spoken(fields, tuple(sound), finish, tools)


def name_of(call: dict[str, Any]) -> str:
    """The function that a call names; empty where it names none."""
    function = call.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else ""


def is_ours(call: dict[str, Any], tools: frozenset[str]) -> bool:
    """Whether a call names one of these tools."""
    return name_of(call) in tools


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
    """A call of ours as it stands in the history; arguments that are no JSON object give way to an empty one.

    What is wrong with them the result tells the model; in the history a strict provider would refuse them for ever.
    """
    arguments = arguments_of(call)
    try:
        is_object = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        is_object = False
    function = {**call["function"], "arguments": arguments if is_object else "{}"}
    return {**call, "type": "function", "function": function}
