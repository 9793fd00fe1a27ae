"""The state store dies, hangs, forgets, fills up or was never there, and no request is the worse for it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from proxy.state.breaker import Breaker
from tests.faults.bench import NO_STORE, PATIENCE, Answered, Bench, bench, session, until
from tests.faults.valkeys import OwnValkey, embedded_pid

BEFORE, DURING = 6, 12
"""Requests before a fault begins and until it ends; the rest of the session comes after it."""


class Clock:
    """The breaker's time: it passes when the test says so."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("proxy.state.redis.Breaker", partial(Breaker, now=clock))
    return clock


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[OwnValkey]:
    server = OwnValkey(tmp_path / "valkey")
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def at(tmp_path: Path, valkey: OwnValkey, clock: Clock) -> AsyncIterator[Bench]:
    async with bench(tmp_path, state_url=valkey.url) as opened:
        yield opened


async def store_calls(at: Bench, *operations: str) -> float:
    """How often these operations reached for the store; a record's, and a look-up's of what the model read back."""
    return sum([await at.metric("forebay_state_seconds_count", operation=each) for each in operations])


async def through(
    at: Bench, clock: Clock, fault: Callable[[], None], mend: Callable[[], None], found_by: str = "get_many"
) -> list[Answered]:
    """The session with a fault in its middle; says how it is seen while it lasts, and that it ends.

    A store that answers nothing fails the first look-up, before the call; one that is full the first `record`, after
    the answer.
    """
    bodies = session()
    before = await at.play(bodies[:BEFORE])
    assert {answer.degraded for answer in before} == {None}
    records, look_ups = await store_calls(at, "record"), await store_calls(at, "get_many")
    assert records == BEFORE
    fault()
    during = await at.play(bodies[BEFORE : BEFORE + DURING])
    is_late = found_by == "record"
    assert await store_calls(at, "get_many") == look_ups + 1, "the first request costs one time-out, the others none"
    assert await store_calls(at, "record") == records + is_late
    assert [answer.degraded for answer in during] == [None if is_late else "state"] + ["state"] * (DURING - 1)
    assert await at.metric("forebay_degraded_total", reason="state") == DURING
    assert await at.ready() == (200, "degraded")
    mend()
    clock.time += 60
    after = await at.play(bodies[BEFORE + DURING :])
    assert [answer.degraded for answer in after] == ["state"] + [None] * (len(after) - 1)
    assert await at.ready() == (200, "ok")
    return [*before, *during, *after]


def harmless(at: Bench, answers: list[Answered], undisturbed: list[bytes]) -> None:
    assert {answer.status for answer in answers} == {200}
    assert at.forwarded == undisturbed


async def test_a_killed_store_that_comes_back_empty(
    at: Bench, clock: Clock, valkey: OwnValkey, undisturbed: list[bytes]
) -> None:
    answers = await through(at, clock, lambda: valkey.signal(signal.SIGKILL), valkey.start)
    harmless(at, answers, undisturbed)
    told = await at.get(f"/v1/context/sessions/{answers[-1].headers['x-context-session']}")
    assert json.loads(told.body)["totals"]["requests"] == len(session()) - BEFORE - DURING


async def test_a_stopped_store_that_is_continued(
    tmp_path: Path, clock: Clock, valkey: OwnValkey, undisturbed: list[bytes]
) -> None:
    async with bench(tmp_path, state_url=valkey.url, timeout_ms=250) as at:
        answers = await through(at, clock, lambda: valkey.signal(signal.SIGSTOP), lambda: valkey.signal(signal.SIGCONT))
        harmless(at, answers, undisturbed)


async def test_a_store_that_is_restarted_empty_between_two_requests(
    at: Bench, valkey: OwnValkey, undisturbed: list[bytes]
) -> None:
    answers = await at.play(session()[:12])
    valkey.signal(signal.SIGKILL)
    valkey.start()
    answers += await at.play(session()[12:])
    harmless(at, answers, undisturbed)


async def test_a_full_store(at: Bench, clock: Clock, valkey: OwnValkey, undisturbed: list[bytes]) -> None:
    def fill() -> None:
        assert valkey.command("CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "1") == "+OK\r\n"

    def empty() -> None:
        assert valkey.command("CONFIG", "SET", "maxmemory", "0") == "+OK\r\n"

    harmless(at, await through(at, clock, fill, empty, found_by="record"), undisturbed)


async def test_a_full_store_is_not_called_well_because_it_still_answers(
    at: Bench, clock: Clock, valkey: OwnValkey
) -> None:
    valkey.command("CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "1")
    await at.play(session()[:2])
    clock.time += 60
    assert await at.ready() == (200, "degraded")


@pytest.mark.parametrize("url", [NO_STORE, "unix:///nowhere/valkey.sock"])
async def test_a_store_that_is_not_there_at_start_up(
    tmp_path: Path, clock: Clock, url: str, undisturbed: list[bytes]
) -> None:
    async with bench(tmp_path, state_url=url) as at:
        answers = await at.play(session())
        harmless(at, answers, undisturbed)
        assert {answer.degraded for answer in answers} == {"state"}
        assert await store_calls(at, "record", "get_many") == 0
        assert await at.ready() == (200, "degraded")


@pytest.mark.parametrize(("password", "given"), [("right", "wrong"), ("right", ""), (None, "needless")])
async def test_a_wrong_password(
    tmp_path: Path, clock: Clock, password: str | None, given: str, undisturbed: list[bytes]
) -> None:
    server = OwnValkey(tmp_path / "valkey", password)
    server.start()
    try:
        url = server.url.replace("unix://", f"unix://:{given}@" if given else "unix://")
        async with bench(tmp_path, state_url=url) as at:
            answers = await at.play(session())
            harmless(at, answers, undisturbed)
            assert {answer.degraded for answer in answers} == {"state"}
            assert await store_calls(at, "record", "get_many") == 0
            assert await at.ready() == (200, "degraded")
    finally:
        server.stop()


def without_tools(body: bytes) -> dict[str, Any]:
    """A request for which there is nothing to look up before its call."""
    given: dict[str, Any] = json.loads(body)
    return {name: value for name, value in given.items() if name not in {"tools", "tool_choice", "parallel_tool_calls"}}


async def test_no_answer_waits_for_its_record_in_a_store_that_hangs(tmp_path: Path, valkey: OwnValkey) -> None:
    """With a time-out far beyond the test's patience, an answer that waited for the store would never come."""
    async with bench(tmp_path, state_url=valkey.url, timeout_ms=3 * int(PATIENCE) * 1000) as at:
        await at.play(session()[:2])
        valkey.signal(signal.SIGSTOP)
        answers = [await at.ask(without_tools(body)) for body in session()[2:6]]
        valkey.signal(signal.SIGCONT)
        assert {answer.status for answer in answers} == {200}
        await at.recorded()
        assert await store_calls(at, "record") == 6


async def test_no_call_waits_for_the_trial_of_a_store_that_goes_on_hanging(
    tmp_path: Path, clock: Clock, valkey: OwnValkey
) -> None:
    """Each pause of the breaker ends with a record's trial, which nobody waits for, and never with a look-up's."""
    async with bench(tmp_path, state_url=valkey.url, timeout_ms=250) as at:
        await at.play(session()[:2])
        looked_up, recorded = await store_calls(at, "get_many"), await store_calls(at, "record")
        valkey.signal(signal.SIGSTOP)
        for body in session()[2:8]:
            await at.play([body])
            clock.time += 60
        valkey.signal(signal.SIGCONT)
        assert await store_calls(at, "get_many") == looked_up + 1
        assert await store_calls(at, "record") == recorded + 5


async def test_a_request_served_without_the_store_counts_once(at: Bench, clock: Clock, valkey: OwnValkey) -> None:
    await at.play(session()[:2])
    valkey.signal(signal.SIGKILL)
    await at.play(session()[2:8])
    assert await at.metric("forebay_degraded_total", reason="state") == 6


async def test_a_change_of_the_store_is_one_line_in_the_log(
    at: Bench, clock: Clock, valkey: OwnValkey, caplog: pytest.LogCaptureFixture
) -> None:
    await at.play(session()[:2])
    valkey.signal(signal.SIGKILL)
    await at.play(session()[2:12])
    about = [record for record in caplog.records if record.name.startswith("proxy.")]
    assert [record.levelname for record in about] == ["WARNING"]
    assert "going on without it" in about[0].getMessage()


async def test_the_embedded_store_is_started_again_after_a_kill(
    tmp_path: Path, clock: Clock, undisturbed: list[bytes]
) -> None:
    async with bench(tmp_path) as at:
        answers = await at.play(session()[:12])
        first = embedded_pid(tmp_path / "state")
        os.kill(first, signal.SIGKILL)
        answers += await at.play(session()[12:18])
        await until(lambda: embedded_pid(tmp_path / "state") not in {0, first}, "a new server")
        clock.time += 60
        answers += await at.play(session()[18:])
        harmless(at, answers, undisturbed)
        assert answers[-1].degraded is None
