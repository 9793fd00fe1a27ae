"""A sub-agent that inherits a generated history, and its requests through engines that share a store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

from hypothesis import strategies as st

from policies.isolation import possible_tasks
from policies.plan import Report
from proxy.beginnings import Beginnings, keys_of
from proxy.context import Asked, ContextEngine, Edited, Mode
from proxy.errors import ContextTooLong
from proxy.isolation import Isolated
from proxy.wire.envelope import slice_body
from tests.isolation.beginning import FakeRecords
from tests.laws.histories import Message, histories, texts
from tests.laws.proxied import dumped, engine, route


@dataclass(frozen=True)
class SubAgent:
    """The parent's history, and the sub-agent's own messages: the task, then its turns."""

    inherited: list[Message]
    own: list[Message]
    more: dict[str, Any]

    @property
    def task(self) -> int:
        return len(self.inherited)

    @property
    def bodies(self) -> Iterator[bytes]:
        """Its requests: with the task alone, before each of its assistant messages, and now."""
        ends = {1, len(self.own)} | {n for n, message in enumerate(self.own) if message["role"] == "assistant"}
        for end in sorted(ends):
            yield dumped({"model": "m", "messages": [*self.inherited, *self.own[:end]], **self.more})


@st.composite
def sub_agents(draw: st.DrawFn) -> SubAgent:
    """One that may inherit a call without its result, which then may come among its own turns."""
    inherited, turns = draw(histories(5)), draw(histories(5))
    own = [{"role": "user", "content": draw(texts())}, *dropwhile(lambda m: m["role"] != "assistant", turns)]
    if draw(st.booleans()):
        call = {"id": "theirs", "type": "function", "function": {"name": "spawn", "arguments": "{}"}}
        inherited.append({"role": "assistant", "content": None, "tool_calls": [call]})
        if draw(st.booleans()):
            place = draw(st.integers(1, len(own)))
            own.insert(place, {"role": "tool", "tool_call_id": "theirs", "content": "spawned"})
    tools = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]
    return SubAgent(inherited, own, {"tools": tools} if draw(st.booleans()) else {})


@dataclass(frozen=True)
class Seen:
    """One request as it came, and what became of it; `edited` is None where the brake answered."""

    sent: bytes
    isolated: Isolated
    edited: Edited | None

    @property
    def report(self) -> Report:
        assert self.edited is not None
        return self.edited.plan.report


class Worker:
    """One process: an engine and its memory of where sessions began."""

    def __init__(self, records: FakeRecords) -> None:
        self.engine: ContextEngine = engine()
        self.beginnings = Beginnings(records, lambda: None)

    def ask(self, sent: bytes, window: int | None, policy: str = "default", mode: Mode | None = None) -> Seen:
        """One isolated request."""
        asked = Asked(slice_body(sent), "local", route(window), policy, mode)
        read = self.engine.read(asked)
        possible = possible_tasks(read.messages)
        names = keys_of("s", None, read.messages, possible)
        task = possible[asyncio.run(self.beginnings.settle("local", names))]
        asked = self.engine.isolated(asked, read, task)
        assert asked.isolated is not None
        try:
            edited = self.engine.edit_here(self.engine.carried_here(asked, {}))
        except ContextTooLong:
            return Seen(sent, asked.isolated, None)
        return Seen(sent, asked.isolated, edited)
