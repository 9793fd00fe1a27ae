"""The artifact folder is read-only, full, gone or none at all: edits stand, requests go on, then all is well again."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from proxy.artifacts import files
from proxy.http import keys
from tests.faults.bench import LOCATOR, NO_STORE, Answered, Bench, bench, locators, session

BEFORE, DURING = 8, 16
"""Requests before a fault begins and until it ends."""


class FailingSystem:
    """The operating system as `files.py` sees it, with a disk that fails while `error` is set.

    Root ignores permission bits and a full disk cannot be had without mounting one, so the errors are given here, at
    the one door through which artifacts reach the disk.
    """

    def __init__(self, number: int, at_call: str) -> None:
        self._number, self._at_call = number, at_call
        self.failing = False

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if not self.failing or name != self._at_call:
            return real

        def refuse(*given: Any, **options: Any) -> Any:
            if name == "open" and not given[1] & os.O_CREAT:
                return real(*given, **options)
            raise OSError(self._number, os.strerror(self._number))

        return refuse


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(tmp_path, state_url=NO_STORE) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "artifacts"


def reasons(answers: list[Answered]) -> list[set[str]]:
    """Why each answer came with less; that there is no state store here is left out."""
    return [set((answer.degraded or "").split(",")) - {"", "state"} for answer in answers]


async def readable(at: Bench, of: set[str]) -> set[str]:
    """The locators that can be read back over HTTP; the others must be unknown."""
    answers = {locator: await at.get(f"/v1/context/artifacts/{locator}") for locator in of}
    assert {answer.status for answer in answers.values()} <= {200, 404}
    return {locator for locator, answer in answers.items() if answer.status == 200}


def unfinished(at: Bench) -> list[Path]:
    return list(Path(at.proxy.app[keys.SETTINGS].artifacts.url).rglob(".new-*"))


def replace_by_a_file(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("no folder")


def edited_first_at(bodies: list[bytes]) -> int:
    return next(index for index, body in enumerate(bodies) if LOCATOR.search(body.decode()))


def test_the_fault_falls_into_a_time_of_edits(undisturbed: list[bytes]) -> None:
    shown = [locators(undisturbed[:count]) for count in (BEFORE, DURING, len(undisturbed))]
    assert len(shown[0]) < len(shown[1]) < len(shown[2])


DISKS = {
    "read-only": (errno.EROFS, "open"),
    "full at the first byte": (errno.ENOSPC, "open"),
    "full at the sync": (errno.ENOSPC, "fsync"),
    "full folder": (errno.ENOSPC, "link"),
    "broken": (errno.EIO, "fsync"),
    "over quota": (errno.EDQUOT, "fsync"),
}


@pytest.mark.parametrize(("number", "at_call"), DISKS.values(), ids=DISKS)
@pytest.mark.usefixtures("patient")
async def test_a_disk_that_fails_for_a_while(
    at: Bench, monkeypatch: pytest.MonkeyPatch, undisturbed: list[bytes], number: int, at_call: str
) -> None:
    disk = FailingSystem(number, at_call)
    monkeypatch.setattr(files, "os", disk)
    bodies = session()
    before = await at.play(bodies[:BEFORE])
    disk.failing = True
    during = await at.play(bodies[BEFORE:DURING])
    failed = await at.metric("forebay_degraded_total", reason="artifacts")
    disk.failing = False
    after = await at.play(bodies[DURING:])
    assert {answer.status for answer in (*before, *during, *after)} == {200}
    assert at.forwarded == undisturbed
    assert reasons(before) == [set()] * len(before)
    assert {"artifacts"} in reasons(during)
    assert reasons(after) == [set()] * len(after)
    assert failed == reasons(during).count({"artifacts"}) == await at.metric("forebay_artifacts_total", result="failed")
    shown = set(LOCATOR.findall(at.forwarded[-1].decode()))
    assert await readable(at, shown) == shown, "what could not be kept is kept once it can be"
    assert not unfinished(at), "nothing unfinished is left"


@pytest.mark.usefixtures("patient")
async def test_a_folder_deleted_in_mid_session_is_made_again(at: Bench, undisturbed: list[bytes], folder: Path) -> None:
    answers = await at.play(session()[:DURING])
    shutil.rmtree(folder)
    answers += await at.play(session()[DURING:])
    assert {answer.status for answer in answers} == {200}
    assert at.forwarded == undisturbed
    assert reasons(answers) == [set()] * len(answers)
    fresh = locators(undisturbed) - locators(undisturbed[:DURING])
    assert fresh
    assert await readable(at, fresh) == fresh


@pytest.mark.usefixtures("patient")
async def test_a_folder_replaced_by_a_file_in_mid_session(at: Bench, undisturbed: list[bytes], folder: Path) -> None:
    before = await at.play(session()[:BEFORE])
    replace_by_a_file(folder)
    during = await at.play(session()[BEFORE:DURING])
    assert {"artifacts"} in reasons(during)
    os.unlink(folder)
    after = await at.play(session()[DURING:])
    assert {answer.status for answer in (*before, *during, *after)} == {200}
    assert at.forwarded == undisturbed
    assert reasons(after) == [set()] * len(after)


@pytest.mark.usefixtures("patient")
async def test_a_file_where_the_folder_should_be_at_start_up(tmp_path: Path, undisturbed: list[bytes]) -> None:
    replace_by_a_file(tmp_path / "a")
    async with bench(tmp_path, state_url=NO_STORE, artifacts=tmp_path / "a" / "below") as at:
        answers = await at.play(session())
        assert {answer.status for answer in answers} == {200}
        assert at.forwarded == undisturbed
        first = edited_first_at(undisturbed)
        assert reasons(answers) == [set()] * first + [{"artifacts"}] * (len(answers) - first)
        locator = LOCATOR.search(undisturbed[-1].decode())
        assert locator is not None
        assert (await at.get(f"/v1/context/artifacts/{locator[0]}")).status == 503


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A disk that does not answer until the event is set, like a network folder whose server has gone."""
    answers = threading.Event()
    real = files.write

    def write(*given: Any) -> bool:
        answers.wait()
        return real(*given)

    monkeypatch.setattr("proxy.artifacts.local.write", write)
    yield answers
    answers.set()


async def test_a_folder_that_hangs_holds_up_no_request(
    at: Bench, stuck: threading.Event, undisturbed: list[bytes]
) -> None:
    """More requests than there are threads, each with so much news that it is read in a thread."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
    large = "word " * 20_000
    for number, body in enumerate(session()[-4:]):
        assert (await at.ask(body)).status == 200
        news = {"model": "m", "messages": [{"role": "user", "content": f"{number} {large}"}]}
        assert (await at.ask(news, **{"x-context-mode": "observe"})).status == 200
    stuck.set()
    await at.recorded()
    assert at.forwarded[::2] == undisturbed[-4:]
