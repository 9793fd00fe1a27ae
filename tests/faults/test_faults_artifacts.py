"""The artifact folder is read-only, full, gone, hanging or none at all: nothing new is spilled, edits made earlier
stand, requests go on, and then all is well again."""

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
from proxy.errors import StoreError
from proxy.http import keys
from tests.faults.bench import LOCATOR, NO_STORE, PATIENCE, Answered, Bench, bench, locators, session

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


def stored(at: Bench) -> list[Path]:
    return list(Path(at.proxy.app[keys.SETTINGS].artifacts.url).rglob("art_*"))


def replace_by_a_file(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("no folder")


def edited_first_at(bodies: list[bytes]) -> int:
    return next(index for index, body in enumerate(bodies) if LOCATOR.search(body.decode()))


def test_the_fault_falls_into_a_time_of_edits(undisturbed: list[bytes]) -> None:
    shown = [locators(undisturbed[:count]) for count in (BEFORE, DURING, len(undisturbed))]
    assert len(shown[0]) < len(shown[1]) < len(shown[2])


def test_the_fault_falls_into_a_time_of_spills(undisturbed: list[bytes], unspilled: list[bytes]) -> None:
    for some in (slice(BEFORE), slice(BEFORE, DURING), slice(DURING, None)):
        assert unspilled[some] != undisturbed[some]


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
    at: Bench,
    monkeypatch: pytest.MonkeyPatch,
    undisturbed: list[bytes],
    unspilled: list[bytes],
    *,
    number: int,
    at_call: str,
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
    assert at.forwarded == [*undisturbed[:BEFORE], *unspilled[BEFORE:DURING], *undisturbed[DURING:]]
    assert reasons(before) == [set()] * len(before)
    assert {"artifacts"} in reasons(during)
    assert reasons(after) == [set()] * len(after)
    assert failed == reasons(during).count({"artifacts"}) == await at.metric("forebay_artifacts_total", result="failed")
    for kind in ("received", "forwarded"):
        told = sum(int(answer.headers[f"x-context-{kind}-tokens"]) for answer in (*before, *during, *after))
        assert await at.metric("forebay_input_tokens_total", model="m", tenant="local", kind=kind) == told
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
async def test_a_folder_replaced_by_a_file_in_mid_session(
    at: Bench, undisturbed: list[bytes], unspilled: list[bytes], folder: Path
) -> None:
    before = await at.play(session()[:BEFORE])
    replace_by_a_file(folder)
    during = await at.play(session()[BEFORE:DURING])
    assert {"artifacts"} in reasons(during)
    os.unlink(folder)
    after = await at.play(session()[DURING:])
    assert {answer.status for answer in (*before, *during, *after)} == {200}
    assert at.forwarded == [*undisturbed[:BEFORE], *unspilled[BEFORE:DURING], *undisturbed[DURING:]]
    assert reasons(after) == [set()] * len(after)


@pytest.mark.usefixtures("patient")
async def test_a_file_where_the_folder_should_be_at_start_up(
    tmp_path: Path, undisturbed: list[bytes], unspilled: list[bytes]
) -> None:
    replace_by_a_file(tmp_path / "a")
    async with bench(tmp_path, state_url=NO_STORE, artifacts=tmp_path / "a" / "below") as at:
        answers = await at.play(session())
        assert {answer.status for answer in answers} == {200}
        assert at.forwarded == unspilled
        first = edited_first_at(undisturbed)
        assert reasons(answers) == [set()] * first + [{"artifacts"}] * (len(answers) - first)
        locator = LOCATOR.search(undisturbed[-1].decode())
        assert locator is not None
        assert (await at.get(f"/v1/context/artifacts/{locator[0]}")).status == 503


class Stuck:
    """A disk that answers no write until it is let go, like a network folder whose server has gone."""

    def __init__(self) -> None:
        self.writes = 0
        self.answers = threading.Event()
        self._real = files.write

    def write(self, *given: Any) -> bool:
        self.writes += 1
        self.answers.wait()
        return self._real(*given)


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stuck]:
    disk = Stuck()
    monkeypatch.setattr("proxy.artifacts.local.write", disk.write)
    yield disk
    disk.answers.set()


def first_spill(undisturbed: list[bytes], unspilled: list[bytes]) -> int:
    return next(index for index in range(len(undisturbed)) if undisturbed[index] != unspilled[index])


def edits_nothing_new(body: bytes) -> bool:
    """Whether what this request takes out stood in earlier ones too."""
    *_, latest = body.decode().rpartition('"role": "assistant"')
    return LOCATOR.search(body.decode()) is not None and LOCATOR.search(latest) is None


async def test_a_folder_that_hangs_costs_one_wait_and_then_nothing(
    at: Bench, stuck: Stuck, monkeypatch: pytest.MonkeyPatch, undisturbed: list[bytes], unspilled: list[bytes]
) -> None:
    """More requests than there are threads, each with so much news that it is read in a thread."""
    monkeypatch.setattr("proxy.artifacts.local._SECONDS", 0.2)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
    start = first_spill(undisturbed, unspilled)
    large = "word " * 20_000
    answers = []
    for number, body in enumerate(session()[start : start + 6]):
        answers.append(await at.ask(body))
        news = {"model": "m", "messages": [{"role": "user", "content": f"{number} {large}"}]}
        assert (await at.ask(news, **{"x-context-mode": "observe"})).status == 200
    assert {answer.status for answer in answers} == {200}
    assert at.forwarded[::2] == unspilled[start : start + 6]
    assert reasons(answers) == [{"artifacts"}] * 6
    assert await at.metric("forebay_degraded_total", reason="artifacts") == 6
    assert stuck.writes == 1, "only the first request waited"


async def answering(at: Bench) -> None:
    """Wait until what hung has come back: while it hangs, whoever asks for an artifact is told so."""
    async with asyncio.timeout(PATIENCE):
        while (await at.get(f"/v1/context/artifacts/art_{'a' * 12}")).status == 503:  # noqa: ASYNC110 -- a disk has no event
            await asyncio.sleep(0.01)


async def test_a_folder_that_answers_again_is_used_again(
    at: Bench, stuck: Stuck, monkeypatch: pytest.MonkeyPatch, undisturbed: list[bytes], unspilled: list[bytes]
) -> None:
    monkeypatch.setattr("proxy.artifacts.local._SECONDS", 0.2)
    start = first_spill(undisturbed, unspilled)
    await at.play(session()[start : start + 2])
    assert at.forwarded == unspilled[start : start + 2]
    monkeypatch.setattr("proxy.artifacts.local._SECONDS", PATIENCE)
    stuck.answers.set()
    await answering(at)
    after = await at.play(session()[start + 2 :])
    assert reasons(after) == [set()] * len(after)
    assert at.forwarded[2:] == undisturbed[start + 2 :]
    shown = set(LOCATOR.findall(at.forwarded[-1].decode()))
    assert await readable(at, shown) == shown


async def test_a_call_waits_for_its_spills_no_longer_than_it_may(
    at: Bench, stuck: Stuck, monkeypatch: pytest.MonkeyPatch, undisturbed: list[bytes], unspilled: list[bytes]
) -> None:
    """A folder that is slow, but has not failed yet: with so much patience the request would never come."""
    monkeypatch.setattr("proxy.artifacts.local._SECONDS", 3 * PATIENCE)
    monkeypatch.setattr("proxy.http.originals.SPILLING_SECONDS", 0.1)
    start = first_spill(undisturbed, unspilled)
    answer = await at.ask(session()[start])
    assert (answer.status, reasons([answer])) == (200, [{"artifacts"}])
    assert at.forwarded == [unspilled[start]]


async def test_a_failure_that_shows_only_after_the_answer_is_counted(
    at: Bench, monkeypatch: pytest.MonkeyPatch, undisturbed: list[bytes]
) -> None:
    failed = asyncio.Event()

    async def put(*_: object) -> bool:
        await failed.wait()
        raise StoreError("the disk has gone")

    monkeypatch.setattr("proxy.artifacts.local.LocalArtifacts.put", put)
    monkeypatch.setattr("proxy.http.originals.KEEPING_SECONDS", 0.01)
    body = next(body for body, seen in zip(session(), undisturbed, strict=True) if edits_nothing_new(seen))
    first = await at.ask(body)
    assert await at.metric("forebay_degraded_total", reason="artifacts") == 0
    failed.set()
    await at.recorded()
    assert await at.metric("forebay_degraded_total", reason="artifacts") == 1
    assert reasons([first]) == [set()]


@pytest.mark.usefixtures("patient")
async def test_a_spill_whose_keeping_raises_is_none(
    at: Bench, monkeypatch: pytest.MonkeyPatch, undisturbed: list[bytes], unspilled: list[bytes]
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("injected")

    monkeypatch.setattr("proxy.keeping.Keeper.unkept", fails)
    start = first_spill(undisturbed, unspilled)
    answer = await at.ask(session()[start])
    assert (answer.status, reasons([answer])) == (200, [{"artifacts"}])
    assert at.forwarded == [unspilled[start]]


@pytest.mark.usefixtures("patient")
async def test_a_folder_at_its_cap_lets_every_request_spill(
    at: Bench, monkeypatch: pytest.MonkeyPatch, undisturbed: list[bytes]
) -> None:
    """A cap is no fault: the conversation itself still holds what was taken out."""
    monkeypatch.setattr("proxy.artifacts.ledger.Ledger._book", lambda *_: False)
    answers = await at.play(session())
    assert {answer.status for answer in answers} == {200}
    assert at.forwarded == undisturbed
    assert reasons(answers) == [set()] * len(answers)
    assert await at.metric("forebay_artifacts_total", result="stored") == 0
    assert await at.metric("forebay_artifacts_total", result="refused") >= len(locators(undisturbed))
    assert not stored(at)


@pytest.mark.usefixtures("patient")
async def test_a_folder_that_fails_for_long_is_one_line_in_the_log(
    at: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    disk = FailingSystem(errno.ENOSPC, "open")
    monkeypatch.setattr(files, "os", disk)
    disk.failing = True
    await at.play(session())
    about = [record for record in caplog.records if record.name == "proxy.keeping"]
    assert [record.levelname for record in about] == ["WARNING"]
    assert os.strerror(errno.ENOSPC) in about[0].getMessage()
