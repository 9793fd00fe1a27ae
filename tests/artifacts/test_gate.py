"""An object store that hangs, is slow or fails, as those who wait for it see it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from proxy.artifacts import gate
from proxy.artifacts.gate import Gate
from proxy.errors import StoreError

LONG, SHORT = 20.0, 0.05


class Store:
    """Answers while `up` is set."""

    def __init__(self) -> None:
        self.up = asyncio.Event()
        self.asked = 0
        self.probed = asyncio.Event()

    async def answer(self) -> int:
        self.asked += 1
        await self.up.wait()
        return 7

    async def probe(self) -> None:
        self.probed.set()
        await self.up.wait()


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
async def opened(store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Gate]:
    monkeypatch.setattr(gate, "PROBE_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(gate, "PROBE_SECONDS", 0.02)
    built = Gate("the store", store.probe)
    yield built
    await built.close()


async def open_again(opened: Gate) -> None:
    async with asyncio.timeout(LONG):
        while opened._hangs:  # noqa: ASYNC110 -- told by nothing but the next caller's luck
            await asyncio.sleep(0.001)


async def test_what_the_work_returns(opened: Gate, store: Store) -> None:
    store.up.set()
    assert await opened.run(LONG, store.answer) == 7


async def test_what_hangs_is_waited_for_once(opened: Gate, store: Store) -> None:
    with pytest.raises(StoreError, match=r"no answer within 0\.05 s"):
        await opened.run(SHORT, store.answer)
    for _ in range(10):
        with pytest.raises(StoreError, match="hangs"):
            await opened.run(LONG, store.answer)
    assert store.asked == 1


async def test_once_it_answers_the_probe_it_is_asked_again(opened: Gate, store: Store) -> None:
    with pytest.raises(StoreError):
        await opened.run(SHORT, store.answer)
    await store.probed.wait()
    store.up.set()
    await open_again(opened)
    assert await opened.run(LONG, store.answer) == 7


async def test_a_probe_that_is_refused_is_an_answer(opened: Gate, store: Store) -> None:
    async def refuse() -> None:
        raise StoreError("403")

    with pytest.raises(StoreError):
        await opened.run(SHORT, store.answer)
    opened._probe = refuse
    await open_again(opened)


async def test_one_slow_call_among_others_that_come_back_is_no_hang(opened: Gate, store: Store) -> None:
    async def at_once() -> int:
        return 1

    slow = asyncio.ensure_future(opened.run(0.5, store.answer))
    await asyncio.sleep(0)
    assert await opened.run(LONG, at_once) == 1
    with pytest.raises(StoreError, match="no answer"):
        await slow
    assert await opened.run(LONG, at_once) == 1


async def test_a_caller_that_leaves_stops_nothing(opened: Gate, store: Store) -> None:
    kept = asyncio.Event()

    async def keep() -> None:
        await store.up.wait()
        kept.set()

    left = asyncio.ensure_future(opened.run(LONG, keep))
    await asyncio.sleep(0)
    left.cancel()
    await asyncio.wait({left})
    store.up.set()
    async with asyncio.timeout(LONG):
        await kept.wait()


async def test_no_more_than_so_many_wait(opened: Gate, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_MOST_UNDER_WAY", 3)
    waiting = [asyncio.ensure_future(opened.run(LONG, store.answer)) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(StoreError, match="does not keep up"):
        await opened.run(LONG, store.answer)
    store.up.set()
    assert await asyncio.gather(*waiting) == [7, 7, 7]
