"""Whole sessions through the running proxy, request by request, as their agents sent them.

Ours always: the two sessions of the demo, a customer service session and a long shell session. Recorded ones of
`../shared/data` where that folder is: by default a few of each format and the last requests of each, with
`--all-recorded` everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from proxy.demo.coding import coding
from proxy.demo.review import review
from proxy.demo.session import requests as scripted
from proxy.replay import Recorded, load, requests
from tests.end_to_end.recorded_data import sessions_below
from tests.end_to_end.session_driver import Body, House, Judge, Restarted, dumped, house, model_name
from tests.replay.generated import customer_service, shell_agent
from tests.replay.samples import write

WINDOWS = (32_000, 128_000, 272_000)
PRESETS = ("default", "coding")
NEWEST_REQUESTS = 40
"""So many of a recorded session's requests are sent by default, its last ones: there the budget binds."""

each_model = pytest.mark.parametrize(
    ("window", "preset"), [(window, preset) for window in WINDOWS for preset in PRESETS]
)


def ours(folder: Path) -> dict[str, list[Body]]:
    """The requests of our own sessions, by name; the generated ones are read as the recordings they could be."""
    bodies = {session.name: list(scripted(session)) for session in (review(), coding())}
    for name, made in (("customer-service", customer_service()), ("shell", shell_agent())):
        [session] = load(write(folder, made, name))
        bodies[name] = list(requests(session, "m"))
    return bodies


async def play(on: House, name: str, bodies: list[Body], window: int, preset: str) -> tuple[list[str], list[int]]:
    """Send all bodies; what was wrong, with the request's number, and the statuses.

    From the middle on, a fresh engine stands in for a restarted proxy: its bytes must be those that were sent.
    """
    judge, fresh, middle = Judge(window), Restarted(on), len(bodies) // 2
    compared = {middle, middle + 1, len(bodies) - 1}
    faults: list[str] = []
    statuses: list[int] = []
    for number, body in enumerate(bodies):
        one = await on.send(dumped({**body, "model": model_name(window, preset)}), name)
        told = list(judge.judge(one))
        if number in compared and fresh.forwarded(one) != one.forwarded:
            told.append("a restarted proxy would have forwarded other bytes")
        faults += [f"{name}, request {number + 1} of {len(bodies)}: {fault}" for fault in told]
        statuses.append(one.status)
    return faults, statuses


@each_model
async def test_our_sessions_go_through_whole_and_in_budget(tmp_path: Path, window: int, preset: str):
    async with house(tmp_path / "house", [(window, preset)]) as on:
        for name, bodies in ours(tmp_path).items():
            faults, statuses = await play(on, name, bodies, window, preset)
            assert faults == []
            assert set(statuses) == {200}


@each_model
async def test_recorded_sessions_go_through_whole_and_in_budget(
    tmp_path: Path, request: pytest.FixtureRequest, shared: Path, window: int, preset: str
):
    data = shared / "data"
    if not data.is_dir():
        pytest.skip(f"there are no recorded sessions: {data} is absent")
    everything = request.config.getoption("--all-recorded", default=False)
    played = 0
    async with house(tmp_path / "house", [(window, preset)]) as on:
        for session in sessions_below(data, everything):
            bodies = list(_bodies(session, everything))
            faults, _ = await play(on, session.name, bodies, window, preset)
            assert faults == []
            played += len(bodies)
    assert played, f"{data} holds no session that could be read"


def _bodies(session: Recorded, everything: bool) -> Iterator[Body]:
    count = sum(1 for _ in requests(session, "m"))
    return islice(requests(session, "m"), 0 if everything else max(0, count - NEWEST_REQUESTS), None)


@pytest.mark.parametrize("preset", PRESETS)
async def test_a_proxy_that_was_restarted_forwards_the_same_bytes(tmp_path: Path, preset: str):
    models, sessions = [(32_000, preset)], ours(tmp_path)
    before: list[tuple[str, bytes, bytes | None]] = []
    async with house(tmp_path / "house", models) as on:
        for name, bodies in sessions.items():
            sent = [await on.send(dumped({**body, "model": model_name(*models[0])}), name) for body in bodies]
            middle = len(sent) // 2
            before += [(name, one.sent, one.forwarded) for one in (*sent[middle : middle + 2], sent[-1])]
    async with house(tmp_path / "house", models) as on:
        for name, body, forwarded in before:
            assert (await on.send(body, name)).forwarded == forwarded


async def test_the_tight_window_makes_the_long_sessions_shrink(tmp_path: Path):
    """The budget would hold of itself if nothing ever came near it."""
    async with house(tmp_path / "house", [(32_000, "default")]) as on:
        for name in ("coding", "shell"):
            body = ours(tmp_path)[name][-1]
            one = await on.send(dumped({**body, "model": model_name(32_000, "default")}), name)
            assert one.count("received") > 32_000 > one.count("forwarded")
            assert int(one.batches) > 0


def test_a_folder_of_recordings_is_sampled_the_same_way_each_time(tmp_path: Path):
    _folder_of_runs(tmp_path)
    assert [one.name for one in sessions_below(tmp_path, everything=False)] == ["a#1", "a#2", "b#1"]


def test_on_request_all_recordings_are_taken(tmp_path: Path):
    _folder_of_runs(tmp_path)
    assert len(list(sessions_below(tmp_path, everything=True))) == 4


def _folder_of_runs(folder: Path) -> None:
    run: dict[str, Any] = {"traj": [{"role": "user", "content": "hi"}]}
    for name in ("a", "b"):
        write(folder, [run, run], f"{name}.json")
    write(folder, {"notes": "no recording"}, "index.json")
    (folder / "test.log").write_text("1 passed")
