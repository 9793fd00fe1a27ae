"""Threads of their own for a folder that may be slow, or hang as one on a network does.

What hangs in a thread cannot be taken back, and comes back by itself once the folder answers again. So it is its own
probe: a folder that hangs costs each caller of that moment one wait, and until something comes back nobody asks it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from proxy.errors import StoreError

T = TypeVar("T")

_THREADS = 4
_MOST_UNDER_WAY = 256  # each holds its request's body; a slow disk must not hold all of them


class FolderThreads:
    """Runs file access for one event loop. `name` is how errors name the folder."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._threads = ThreadPoolExecutor(_THREADS, "artifacts")
        self._under_way = 0
        self._came_back = 0
        self._hangs = False

    async def run(self, seconds: float, work: Callable[..., T], *arguments: Any) -> T:
        """What `work` returns; it is not stopped after `seconds`, nor when the caller leaves.

        StoreError where the folder fails, gives no answer in time, or gave none to others.
        """
        if self._hangs:
            raise StoreError(f"{self._name} hangs; not asked again before it answers")
        if self._under_way >= _MOST_UNDER_WAY:
            raise StoreError(f"{self._name} does not keep up: {self._under_way} calls wait for it")
        before = self._came_back
        future = asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *arguments))
        self._under_way += 1
        future.add_done_callback(self._returned)
        await asyncio.wait({future}, timeout=seconds)
        if not future.done():
            self._hangs = self._came_back == before  # else it is only slow
            raise StoreError(f"{self._name} gives no answer within {seconds:.3g} s")
        try:
            return future.result()
        except OSError as error:
            raise StoreError(f"{self._name} cannot be used: {error}") from error

    def _returned(self, future: asyncio.Future[Any]) -> None:
        self._under_way -= 1
        self._came_back += 1
        self._hangs = False
        if not future.cancelled():
            future.exception()  # seen, also where nobody waits any more
