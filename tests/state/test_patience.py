"""Only the store's own slowness counts: an event loop that is busy with other work loses no answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxy.state import RequestRecord
from proxy.state.embedded import EmbeddedValkey
from proxy.state.patience import within
from proxy.state.redis import StateStore
from proxy.state.sessions import RedisSessions

SLICE = 0.03


@asynccontextmanager
async def busy_loop() -> AsyncIterator[None]:
    """Every pass of the loop takes SLICE seconds, as under many requests at once."""

    async def work() -> None:
        while True:
            time.sleep(SLICE)  # noqa: ASYNC251 -- stands for work on the loop
            await asyncio.sleep(0)

    task = asyncio.create_task(work())
    try:
        yield
    finally:
        task.cancel()


async def test_records_beside_other_work_on_the_loop_do_not_open_the_breaker(valkey: EmbeddedValkey) -> None:
    store = StateStore(valkey.url, timeout_ms=int(SLICE * 1000 / 2))
    sessions = RedisSessions(store, 1000)
    async with busy_loop():
        records = [RequestRecord(f"busy-{n}", None, "m", "p", {}, {"requests": 1}) for n in range(40)]
        await asyncio.gather(*(sessions.record("busy", record) for record in records))
    assert store.available
    await store.close()


async def test_a_call_that_never_ends_is_stopped_also_beside_other_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxy.state.patience.LONGEST_SECONDS", 4 * SLICE)
    stopped = asyncio.Event()

    async def never() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with busy_loop():
        with pytest.raises(TimeoutError):
            await within(SLICE / 2, never())
    assert stopped.is_set()


async def test_what_the_work_raises_passes_through() -> None:
    async def broken() -> None:
        raise ValueError("its own")

    with pytest.raises(ValueError, match="its own"):
        await within(1, broken())
