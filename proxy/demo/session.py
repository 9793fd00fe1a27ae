"""A session as data: what the agent was told, what the model answers, what the client appends.

An agent resends its whole history on every call. `requests` yields each body as the agent would send it,
so a session can be played over HTTP, folded offline or counted, always the same way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """The assistant's answer to one request, and what the client appends before the next one."""

    answer: Message
    then: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """An exact line that a tool result shows in step `shown` and the answer of step `needed` quotes."""

    line: str
    shown: int
    needed: int


@dataclass(frozen=True, slots=True)
class Session:
    """A whole scripted session; steps count from 0, one request each."""

    name: str
    system: str
    task: str
    tools: tuple[dict[str, Any], ...]
    steps: tuple[Step, ...]
    evidence: tuple[Evidence, ...] = ()


def requests(session: Session, model: str = "demo") -> Iterator[dict[str, Any]]:
    """The request body of every step, history and all; each has its own message list."""
    history: list[Message] = [
        {"role": "system", "content": session.system},
        {"role": "user", "content": session.task},
    ]
    for step in session.steps:
        yield {"model": model, "messages": list(history), "tools": list(session.tools)}
        history += [step.answer, *step.then]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that is about to be written down, with the result that the tool gave."""

    tool: str
    arguments: dict[str, Any]
    result: str


class Script:
    """Writes a session down step by step; call ids are derived from session, step and position."""

    def __init__(self, name: str, system: str, task: str, tools: Sequence[dict[str, Any]]) -> None:
        self._name, self._system, self._task, self._tools = name, system, task, tuple(tools)
        self._steps: list[Step] = []
        self._evidence: list[Evidence] = []

    def act(self, say: str, *calls: Call, quotes: Sequence[str] = ()) -> None:
        """The assistant says something and calls tools; `quotes` are error lines seen earlier that it relies on."""
        self._quote(say, quotes)
        ids = [self._call_id(position) for position in range(len(calls))]
        tool_calls = [
            {"id": id_, "type": "function", "function": {"name": call.tool, "arguments": json.dumps(call.arguments)}}
            for id_, call in zip(ids, calls, strict=True)
        ]
        results = tuple(
            {"role": "tool", "tool_call_id": id_, "content": call.result} for id_, call in zip(ids, calls, strict=True)
        )
        answer = {"role": "assistant", "content": say or None, "tool_calls": tool_calls}
        self._steps.append(Step(answer, results))

    def say(self, text: str, reply: str | None = None, quotes: Sequence[str] = ()) -> None:
        """The assistant ends its turn with words; `reply` is what the user writes next."""
        self._quote(text, quotes)
        then = () if reply is None else ({"role": "user", "content": reply},)
        self._steps.append(Step({"role": "assistant", "content": text}, then))

    def finish(self) -> Session:
        """The session as written so far."""
        return Session(self._name, self._system, self._task, self._tools, tuple(self._steps), tuple(self._evidence))

    def _quote(self, text: str, lines: Sequence[str]) -> None:
        for line in lines:
            shown = [i for i, step in enumerate(self._steps) if any(line in m["content"] for m in step.then)]
            if not shown or line not in text:
                raise ValueError(f"{line!r} is quoted in step {len(self._steps)} but not shown before, or not quoted")
            self._evidence.append(Evidence(line, shown[0], len(self._steps)))

    def _call_id(self, position: int) -> str:
        seed = f"{self._name}/{len(self._steps)}/{position}"
        return "call_" + hashlib.blake2s(seed.encode(), digest_size=12).hexdigest()


def tool(name: str, description: str, required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """A function tool in OpenAI's shape; `required` names the obligatory properties, separated by blanks."""
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
