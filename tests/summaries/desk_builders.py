"""Builders for tests of the desk: work for it, a model that writes, a store in memory, a clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from policies.schema import Summarise
from policies.summaries import Decision
from proxy.errors import StoreError
from proxy.summaries.desk import Desk
from proxy.summaries.summariser import Summariser
from proxy.summaries.work import Work
from proxy.upstream import Answer, Route, Upstream, UpstreamCall
from tests.laws.proxied import route

TEXT = "The crates of the north quay were counted: 412."


def count(text: str) -> int:
    return len(text.split())


def work(key: str = "art_aaaaaaaaaaaa", *, tenant: str = "local", to: Route | None = None, **settings: Any) -> Work:
    """A segment of 400 tokens."""
    return Work(
        tenant=tenant,
        key=key,
        route=to or replace(route(32_000), name="small"),
        settings=Summarise(**{"timeout_seconds": 5, **settings}),
        previous="",
        transcript=lambda most: " ".join(["crate"] * min(400, most)),
        segment_tokens=400,
        count=count,
    )


class MemoryLedger:
    """A store that several desks share; `down` makes it fail."""

    def __init__(self) -> None:
        self.down = False
        self.decisions: dict[tuple[str, str], Decision] = {}
        self.leases: dict[tuple[str, str], str] = {}

    def _up(self) -> None:
        if self.down:
            raise StoreError("the store is down")

    async def find(self, tenant: str, key: str) -> Decision | None:
        self._up()
        return self.decisions.get((tenant, key))

    async def settle(self, tenant: str, key: str, decision: Decision) -> Decision:
        self._up()
        return self.decisions.setdefault((tenant, key), decision)

    async def lease(self, tenant: str, key: str, seconds: float) -> str | None:
        self._up()
        if (tenant, key) in self.leases:
            return None
        self.leases[tenant, key] = "token"
        return "token"

    async def is_leased(self, tenant: str, key: str) -> bool:
        self._up()
        return (tenant, key) in self.leases

    async def release(self, tenant: str, key: str, token: str) -> None:
        self._up()
        del self.leases[tenant, key]


class Counted:
    """An upstream that counts its calls, and waits at a gate before it lets one through."""

    def __init__(self, upstream: Upstream) -> None:
        self.calls: list[UpstreamCall] = []
        self.called = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self._upstream = upstream

    @asynccontextmanager
    async def open(self, call: UpstreamCall) -> AsyncIterator[Answer]:
        self.calls.append(call)
        self.called.set()
        await self.gate.wait()
        async with self._upstream.open(call) as answer:
            yield answer


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def desk(
    upstream: Upstream, ledger: Any, results: list[str] | None = None, now: Callable[[], float] = time.monotonic
) -> Desk:
    """A desk as a process of its own would have it."""
    told = results.append if results is not None else lambda _result: None
    return Desk(Summariser(upstream, lambda _tenant, _route, _usage: None), ledger, told, now)
