"""A folder that hangs, is slow or fails, as those who wait for it see it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from proxy.artifacts import threads
from proxy.artifacts.threads import FolderThreads
from proxy.errors import StoreError

LONG, SHORT = 20.0, 0.05


@pytest.fixture
def hung() -> Iterator[threading.Event]:
    """Work that waits for this does not come back before the test sets it."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def folder() -> FolderThreads:
    return FolderThreads("the folder")


async def returned(folder: FolderThreads) -> None:
    async with asyncio.timeout(LONG):
        while folder._under_way:  # noqa: ASYNC110 -- a thread has no event to await
            await asyncio.sleep(0.001)


def fails(error: Exception) -> None:
    raise error


async def test_what_the_work_returns(folder: FolderThreads) -> None:
    assert await folder.run(LONG, divmod, 7, 2) == (3, 1)


async def test_an_error_of_the_file_system_is_a_store_error_that_names_the_folder(folder: FolderThreads) -> None:
    with pytest.raises(StoreError, match="the folder cannot be used: no space"):
        await folder.run(LONG, fails, OSError("no space"))
    assert await folder.run(LONG, int) == 0, "it answered, and is asked again"


async def test_a_fault_of_ours_stays_what_it_is(folder: FolderThreads) -> None:
    with pytest.raises(ZeroDivisionError):
        await folder.run(LONG, fails, ZeroDivisionError())


async def test_what_hangs_is_waited_for_once(folder: FolderThreads, hung: threading.Event) -> None:
    begun: list[int] = []
    with pytest.raises(StoreError, match=r"no answer within 0\.05 s"):
        await folder.run(SHORT, hung.wait)
    for number in range(10):
        with pytest.raises(StoreError, match="hangs"):
            await folder.run(LONG, begun.append, number)
    assert begun == []


async def test_once_it_comes_back_the_folder_is_asked_again(folder: FolderThreads, hung: threading.Event) -> None:
    with pytest.raises(StoreError):
        await folder.run(SHORT, hung.wait)
    hung.set()
    await returned(folder)
    assert await folder.run(LONG, int) == 0


async def test_one_slow_call_among_others_that_come_back_is_no_hang(
    folder: FolderThreads, hung: threading.Event
) -> None:
    slow = asyncio.ensure_future(folder.run(0.5, hung.wait))
    await asyncio.sleep(0)
    assert await folder.run(LONG, int) == 0
    with pytest.raises(StoreError, match="no answer"):
        await slow
    assert await folder.run(LONG, int) == 0


async def test_all_who_wait_in_the_moment_it_begins_wait_once(folder: FolderThreads, hung: threading.Event) -> None:
    waiting = [folder.run(SHORT, hung.wait) for _ in range(20)]
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(each) for each in found} == {StoreError}
    with pytest.raises(StoreError, match="hangs"):
        await folder.run(LONG, int)


async def test_a_caller_that_leaves_stops_nothing(folder: FolderThreads, hung: threading.Event) -> None:
    done: list[str] = []

    def keep() -> None:
        hung.wait()
        done.append("kept")

    left = asyncio.ensure_future(folder.run(LONG, keep))
    await asyncio.sleep(0)
    left.cancel()
    await asyncio.wait({left})
    hung.set()
    await returned(folder)
    assert done == ["kept"]
    assert await folder.run(LONG, int) == 0


async def test_an_error_that_comes_when_nobody_waits_any_more_troubles_nobody(
    folder: FolderThreads, hung: threading.Event
) -> None:
    def late() -> None:
        hung.wait()
        raise OSError("too late")

    with pytest.raises(StoreError, match="no answer"):
        await folder.run(SHORT, late)
    hung.set()
    await returned(folder)
    assert await folder.run(LONG, int) == 0


async def test_no_more_than_so_many_wait(
    folder: FolderThreads, hung: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "_MOST_UNDER_WAY", 3)
    waiting = [asyncio.ensure_future(folder.run(LONG, hung.wait)) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(StoreError, match="does not keep up"):
        await folder.run(LONG, int)
    hung.set()
    assert await asyncio.gather(*waiting) == [True, True, True]
