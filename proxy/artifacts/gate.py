"""How long anybody waits for an object store: once, and not at all while it is known to hang.

The rule of `threads.py` for calls over a network. A call that hung is given up; whether the store answers again is
found out beside the requests, so that none of them is the probe.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from proxy.errors import StoreError

log = logging.getLogger(__name__)

T = TypeVar("T")

PROBE_PAUSE_SECONDS = 1.0
PROBE_SECONDS = 2.0
_MOST_UNDER_WAY = 256  # each holds its request's body; a slow store must not hold all of them


class Gate:
    """Runs calls for one event loop. `name` is how errors name the store; `probe` asks it for anything."""

    def __init__(self, name: str, probe: Callable[[], Awaitable[object]]) -> None:
        self._name = name
        self._probe = probe
        self._probing: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[Any]] = set()
        self._came_back = 0
        self._hangs = False

    async def run(self, seconds: float, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What `work` returns; it is given up after `seconds`, but not when the caller leaves.

        StoreError where the store fails, gives no answer in time, or gave none to others.
        """
        if self._hangs:
            raise StoreError(f"{self._name} hangs; not asked again before it answers")
        if len(self._under_way) >= _MOST_UNDER_WAY:
            raise StoreError(f"{self._name} does not keep up: {len(self._under_way)} calls wait for it")
        before = self._came_back
        task = asyncio.create_task(work())
        self._under_way.add(task)
        task.add_done_callback(self._returned)
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            task.cancel()
            if self._came_back == before:  # else it is only slow
                self._is_hung()
            raise StoreError(f"{self._name} gives no answer within {seconds:.3g} s")
        return task.result()

    async def close(self) -> None:
        """Give up what is under way."""
        tasks = [*self._under_way, *([self._probing] if self._probing else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _returned(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            self._came_back += 1
            task.exception()  # seen, also where nobody waits any more

    def _is_hung(self) -> None:
        if not self._hangs:
            self._hangs = True
            self._probing = asyncio.create_task(self._until_it_answers())

    async def _until_it_answers(self) -> None:
        """An error is an answer too, and comes at once."""
        while self._hangs:
            await asyncio.sleep(PROBE_PAUSE_SECONDS)
            try:
                async with asyncio.timeout(PROBE_SECONDS):
                    await self._probe()
            except TimeoutError:
                continue
            except StoreError as error:
                log.warning("%s answers again, with an error: %s", self._name, error)
            self._hangs = False
