"""What the artifacts of each tenant take up in an object store, without a listing for each new one.

A tenant's keys are counted at its first use and then every few minutes; in between this process counts what it adds.
A long count holds up nobody: after a moment the caller goes on with what is known, and the count when it is there.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from proxy.artifacts.ledger import (
    RECOUNT_BEFORE_REFUSAL_SECONDS,
    RECOUNT_SECONDS,
    TENANTS,
    Caps,
    Usage,
)

_MOMENT_SECONDS = 1.0


class ObjectLedger:
    """Counts per tenant's folder and holds the caps, for one event loop."""

    def __init__(self, caps: Caps, count: Callable[[str], Coroutine[Any, Any, Usage]]) -> None:
        self._caps = caps
        self._count = count
        self._usages: dict[str, Usage] = {}
        self._counting: dict[str, asyncio.Task[Usage]] = {}

    async def usage(self, home: str) -> Usage:
        """The tenant's usage; an old count is taken as it is, and made anew for the next."""
        known = self._usages.get(home)
        if known is None:
            return await self._counted(home)
        if time.monotonic() - known.counted >= RECOUNT_SECONDS:
            self._start(home)
        return known

    async def reserve(self, home: str, session: str, new: int, referred: int) -> bool:
        """Book `new` bytes for the tenant and `referred` for the session; False, and nothing booked, over a cap."""
        usage = await self.usage(home)
        if usage.book(self._caps, session, new, referred):
            return True
        if time.monotonic() - usage.counted < RECOUNT_BEFORE_REFUSAL_SECONDS:
            return False
        usage = await self._counted(home)
        return usage.book(self._caps, session, new, referred)

    def forget(self, home: str) -> None:
        """Something was taken away: count anew at the next use."""
        self._usages.pop(home, None)
        self._counting.pop(home, None)

    async def close(self) -> None:
        """Give up what is being counted."""
        tasks = list(self._counting.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _counted(self, home: str) -> Usage:
        """Counted anew, if that takes a moment only; else what is known, which may be nothing yet."""
        task = self._start(home)
        await asyncio.wait({task}, timeout=_MOMENT_SECONDS)
        if task.done() and not task.cancelled():
            return task.result()
        return self._usages.setdefault(home, Usage())

    def _start(self, home: str) -> asyncio.Task[Usage]:
        if (under_way := self._counting.get(home)) is not None:
            return under_way
        task = self._counting[home] = asyncio.create_task(self._count(home))
        task.add_done_callback(lambda done: self._finished(home, done))
        return task

    def _finished(self, home: str, task: asyncio.Task[Usage]) -> None:
        is_wanted = self._counting.get(home) is task
        if is_wanted:
            del self._counting[home]
        if task.cancelled() or task.exception() is not None or not is_wanted:
            return
        while len(self._usages) >= TENANTS:
            del self._usages[next(iter(self._usages))]
        self._usages[home] = task.result()
