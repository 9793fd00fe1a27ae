from __future__ import annotations

import asyncio

import pytest

from proxy.workspaces.latest import Latest


class Work:
    """Runs that end when they are told to."""

    def __init__(self) -> None:
        self.began = 0
        self.has_begun = asyncio.Event()
        self.may_end = asyncio.Semaphore(0)
        self.error: Exception | None = None

    async def run(self) -> None:
        self.began += 1
        self.has_begun.set()
        await self.may_end.acquire()
        if self.error:
            raise self.error


async def test_who_asks_during_a_run_waits_for_the_next_and_shares_it() -> None:
    work = Work()
    latest = Latest(work.run)
    first = asyncio.create_task(latest.run(60))
    await work.has_begun.wait()
    later = [asyncio.create_task(latest.run(60)) for _ in range(3)]
    work.may_end.release()
    assert await first
    assert not any(task.done() for task in later)
    work.may_end.release()
    assert await asyncio.gather(*later) == [True, True, True]
    assert work.began == 2


async def test_who_has_no_patience_goes_on_and_the_run_too() -> None:
    work = Work()
    latest = Latest(work.run)
    assert await latest.run(0.001) is False
    still = asyncio.create_task(latest.run(60))
    work.may_end.release()
    work.may_end.release()
    assert await still
    assert work.began == 2


async def test_what_a_run_raises_is_raised_to_who_waits_and_the_next_run_is_a_new_one() -> None:
    work = Work()
    latest = Latest(work.run)
    work.error = RuntimeError("broken")
    work.may_end.release()
    with pytest.raises(RuntimeError, match="broken"):
        await latest.run(60)
    work.error = None
    work.may_end.release()
    assert await latest.run(60)


async def test_closing_ends_the_run_under_way() -> None:
    work = Work()
    latest = Latest(work.run)
    waiting = asyncio.create_task(latest.run(60))
    await work.has_begun.wait()
    await latest.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
