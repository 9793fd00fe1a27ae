"""Waiting for the store by the store's time: what our own event loop was late with does not count against it.

A busy loop reads an answer late, or not before a timer of the same age has fired. So time is counted in ticks, and a
tick for which the loop came late is not counted.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_TICKS = 10
LONGEST_SECONDS = 5.0
"""However late the loop is, nobody waits longer than this, or than twice the time-out."""


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """What `work` returns. TimeoutError, with the work stopped, after `seconds` in which the loop was on time."""
    task = asyncio.create_task(work)
    try:
        await _ended_or_late(task, seconds)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    if task.cancelled():
        raise TimeoutError
    return task.result()


async def _ended_or_late(task: asyncio.Task[Any], seconds: float) -> None:
    tick, counted = seconds / _TICKS, 0
    latest = time.monotonic() + max(LONGEST_SECONDS, 2 * seconds)
    while counted < _TICKS and (started := time.monotonic()) < latest:
        await asyncio.wait({task}, timeout=tick)
        if task.done():
            return
        counted += time.monotonic() - started < 2 * tick
