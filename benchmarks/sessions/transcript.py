"""The messages of a session while it is made, and how long it has become."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Message = dict[str, Any]


class Call(NamedTuple):
    """A tool call and what came of it."""

    tool: str
    arguments: dict[str, Any]
    result: str


@dataclass
class Transcript:
    """A session in OpenAI's messages; every call is answered as it is made."""

    tools: Sequence[dict[str, Any]]
    random: random.Random
    count: Callable[[str], int]
    messages: list[Message] = field(default_factory=list)
    turns: int = 0
    tokens: int = 0
    argument_tokens: int = 0

    def system(self, text: str) -> None:
        self._add({"role": "system", "content": text}, text)

    def user(self, text: str) -> None:
        self._add({"role": "user", "content": text}, text)

    def say(self, text: str) -> None:
        """An answer without a call: the agent waits for its user."""
        self.turns += 1
        self._add({"role": "assistant", "content": text}, text)

    def act(self, said: str, *calls: Call) -> None:
        """One answer that makes these calls, side by side, and their results."""
        self.turns += 1
        made = [(f"call_{self.random.getrandbits(96):024x}", call) for call in calls]
        shapes = [
            {"id": id_, "type": "function", "function": {"name": call.tool, "arguments": _json(call.arguments)}}
            for id_, call in made
        ]
        arguments = sum(self.count(_json(call.arguments)) for call in calls)
        self.argument_tokens += arguments
        self.tokens += arguments
        self._add({"role": "assistant", "content": said or None, "tool_calls": shapes}, said)
        for id_, call in made:
            self._add({"role": "tool", "tool_call_id": id_, "content": call.result}, call.result)

    def body(self) -> dict[str, Any]:
        """The session as the last request's body, its answer included."""
        return {"model": "any", "messages": self.messages, "tools": list(self.tools)}

    def _add(self, message: Message, text: str) -> None:
        self.messages.append(message)
        self.tokens += self.count(text)


def _json(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
