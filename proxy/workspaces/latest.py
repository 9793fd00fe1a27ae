"""One run of some work at a time, shared by all who wait: each gets a run that began after it asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Latest:
    """A caller that leaves does not end the work. What it raises is raised to all who wait."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def run(self, patience: float) -> bool:
        """Wait for a run from now on, at most so many seconds; whether it is over."""
        if self._next is None:
            self._next = asyncio.create_task(self._after(self._running))
        task = self._next
        done, _ = await asyncio.wait([task], timeout=patience)
        if done:
            task.result()
        return bool(done)

    async def _after(self, earlier: asyncio.Task[None] | None) -> None:
        if earlier is not None:
            await asyncio.wait([earlier])
        self._running, self._next = self._next, None
        await self._work()

    async def close(self) -> None:
        """End what is under way."""
        tasks = [task for task in (self._next, self._running) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
