"""Threads of their own for a folder that may be slow, or hang as one on a network does.

What hangs in a thread cannot be taken back, and comes back by itself once the folder answers again. So it is its own
probe: a folder that hangs costs each caller of that moment one wait, and until something comes back nobody asks it.
Nor does the end of the process wait for it, which is why these are no executor's threads: Python joins those.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from proxy.errors import StoreError

T = TypeVar("T")

_THREADS = 4
_MOST_UNDER_WAY = 256  # each holds its request's body; a slow disk must not hold all of them


class FolderThreads:
    """Runs file access for one event loop. `name` is how errors name the folder."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._threads = 0
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
        future = self._started(partial(work, *arguments))
        await asyncio.wait({future}, timeout=seconds)
        if not future.done():
            self._hangs = self._came_back == before  # else it is only slow
            raise StoreError(f"{self._name} gives no answer within {seconds:.3g} s")
        try:
            return future.result()
        except OSError as error:
            raise StoreError(f"{self._name} cannot be used: {error}") from error

    def _started(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """The work handed to a thread; what it comes to is told to the event loop, if that is still there."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def run() -> None:
            told: Callable[[], None]
            try:
                told = partial(_settle, future, work())
            except BaseException as error:  # noqa: BLE001 -- raised again where the work is waited for
                told = partial(_refuse, future, error)
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(told)

        self._under_way += 1
        future.add_done_callback(self._returned)
        if self._threads < min(_THREADS, self._under_way):
            self._threads += 1
            threading.Thread(target=self._serve, name=f"artifacts-{self._threads}", daemon=True).start()
        self._work.put(run)
        return future

    def _serve(self) -> None:
        while True:
            self._work.get()()

    def _returned(self, future: asyncio.Future[Any]) -> None:
        self._under_way -= 1
        self._came_back += 1
        self._hangs = False
        if not future.cancelled():
            future.exception()  # seen, also where nobody waits any more


def _settle(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _refuse(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
