"""Work that outlives its request: recording and keeping go on when the client has left."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Background:
    """Tasks that nobody awaits but the shutdown. `most` bounds them; what comes beyond is let go, and said."""

    def __init__(self, most: int = 10_000) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._most = most

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any] | None:
        """Run `work` on its own; None, with nothing run, when too much is already under way."""
        if len(self._tasks) >= self._most:
            work.close()
            log.warning("%d background tasks under way; one more was let go", len(self._tasks))
            return None
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("background work failed", exc_info=error)

    async def drain(self, seconds: float) -> None:
        """Wait for what is under way, at most so long, then cancel the rest."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
