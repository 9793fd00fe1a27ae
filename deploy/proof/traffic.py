"""Agents at work for a while: the demo's sessions over and over, and beside them what goes wrong in real life."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from aiohttp import ClientSession

from deploy.proof.settings import FAILING, IN_FLIGHT, KEY, READER, SLOW, SUMMED, WINDOWLESS
from proxy.demo.client import play
from proxy.demo.coding import coding
from proxy.demo.config import LONG, ROOMY, TIGHT
from proxy.demo.review import review
from proxy.demo.session import Message, Session
from proxy.demo.upstream import ScriptedUpstream

_TOOL = {"type": "function", "function": {"name": "run", "parameters": {"type": "object", "properties": {}}}}
_PAUSE = 0.3


class Agents:
    """Everything that is sent to a proxy at `base_url`."""

    def __init__(self, base_url: str, upstream: ScriptedUpstream, http: ClientSession) -> None:
        self._base_url, self._upstream, self._http = base_url, upstream, http
        self._rounds = itertools.count()

    async def work(self, seconds: float) -> None:
        """All kinds side by side, each again and again until the time is up."""
        until = time.monotonic() + seconds
        kinds: tuple[Callable[[], Awaitable[None]], ...] = (
            lambda: self._session(review(), ROOMY.name),
            lambda: self._session(review(), TIGHT.name),
            lambda: self._session(self._unseen(review()), SUMMED),
            lambda: self._session(coding(), LONG.name),
            self._mishaps,
            self._burst,
        )
        async with asyncio.TaskGroup() as group:
            for kind in kinds:
                group.create_task(_again(kind, until))

    async def _session(self, session: Session, model: str) -> None:
        async for _ in play(session, model, self._base_url, self._upstream, self._http):
            await asyncio.sleep(0.02)

    def _unseen(self, session: Session) -> Session:
        """The same with other results of its tools: nothing of it is known yet, so that summaries are new."""
        mark = f"\nround {next(self._rounds)}"
        steps = (
            replace(step, then=tuple(said | {"content": said["content"] + mark} for said in step.then))
            for step in session.steps
        )
        return replace(session, steps=tuple(steps))

    async def _mishaps(self) -> None:
        """One request of each kind that a good day does not have, and one that reads back."""
        await self._ask(FAILING, [_user("Go.")])
        await self._ask(WINDOWLESS, [_user("Go.")])
        await self._ask(TIGHT.name, [_user("far too much " * 20_000)])
        await self._ask(READER, [_user("Build it."), *_turn(0, _log(next(self._rounds)))], tools=[_TOOL])
        await self._ask(ROOMY.name, [_user("Try again."), *_turn(0, "exit 1"), *_turn(1, "exit 1")], tools=[_TOOL])
        await self._ask("no-such-model", [_user("Go.")])

    async def _burst(self) -> None:
        """More at a time than the tenant may have."""
        await asyncio.gather(*(self._ask(SLOW, [_user("Go.")]) for _ in range(IN_FLIGHT + 4)))

    async def _ask(self, model: str, messages: list[Message], **more: Any) -> None:
        body = {"model": model, "messages": messages, **more}
        headers = {"authorization": f"Bearer {KEY}"}
        async with self._http.post(f"{self._base_url}/chat/completions", json=body, headers=headers) as response:
            await response.read()


async def _again(kind: Callable[[], Awaitable[None]], until: float) -> None:
    while time.monotonic() < until:
        await kind()
        await asyncio.sleep(_PAUSE)


def _user(text: str) -> Message:
    return {"role": "user", "content": text}


def _turn(number: int, result: str) -> list[Message]:
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": result},
    ]


def _log(build: int) -> str:
    """A build log that is long enough to be spilled."""
    lines = [f"[{build}.{n:04}] compiled part_{n}.c in {n * 37 % 911} ms with {n % 7} warnings" for n in range(400)]
    lines[200] = "ERROR: part_200.c:17: expected ';' before 'return'"
    return "\n".join(lines)
