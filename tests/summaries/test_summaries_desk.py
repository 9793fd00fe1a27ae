"""Each segment is decided once, and no request waits longer than it said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from policies.summaries import Decision
from proxy.summaries.desk import Desk
from proxy.upstream import Route
from tests.scripted_upstream import Json, Reset, ScriptedUpstream, completion, error
from tests.summaries.desk_builders import TEXT, Clock, Counted, MemoryLedger, desk, work

PLACE = ("local", "art_aaaaaaaaaaaa")


async def finished(of: Desk) -> None:
    """Wait until nothing is under way."""
    await asyncio.gather(*of._running.values())


async def test_a_summary_is_written_ahead_and_stands(upstream: Counted, ledger: MemoryLedger, small: Route) -> None:
    results: list[str] = []
    one = desk(upstream, ledger, results)
    one.start(work(to=small))
    assert one.status(*PLACE) == "pending"
    await finished(one)
    assert one.known(*PLACE) == Decision(TEXT)
    assert ledger.decisions == {PLACE: Decision(TEXT)}
    assert (results, ledger.leases) == (["recorded"], {})


async def test_a_request_that_needs_it_gets_it_at_once(upstream: Counted, ledger: MemoryLedger, small: Route) -> None:
    one = desk(upstream, ledger)
    one.start(work(to=small))
    await finished(one)
    assert await one.settle(work(to=small)) == Decision(TEXT)
    assert len(upstream.calls) == 1


async def test_a_request_that_comes_first_waits_for_it(upstream: Counted, ledger: MemoryLedger, small: Route) -> None:
    assert await desk(upstream, ledger).settle(work(to=small)) == Decision(TEXT)


async def test_ten_requests_at_two_workers_make_one_call(upstream: Counted, ledger: MemoryLedger, small: Route) -> None:
    one, other = desk(upstream, ledger), desk(upstream, ledger)
    found = await asyncio.gather(*(each.settle(work(to=small)) for _ in range(5) for each in (one, other)))
    assert found == [Decision(TEXT)] * 10
    assert len(upstream.calls) == 1


async def test_one_that_is_late_is_dropped_and_stays_so(upstream: Counted, ledger: MemoryLedger, small: Route) -> None:
    results: list[str] = []
    one = desk(upstream, ledger, results)
    upstream.gate.clear()
    assert await one.settle(work(to=small, timeout_seconds=0.05)) == Decision(None)
    upstream.gate.set()
    await finished(one)
    assert ledger.decisions[PLACE] == Decision(None)
    assert one.known(*PLACE) == Decision(None)
    assert results == ["timeout", "dropped", "beaten"]


@pytest.mark.parametrize(
    "reply",
    [
        error(500),
        Reset(),
        Json(completion({"content": ""})),
        Json(completion({"content": TEXT}, "length")),
        Json(completion({"content": "w " * 300})),
        Json(completion({"content": None, "tool_calls": [{"id": "c", "function": {"name": "x", "arguments": "{}"}}]})),
        Json(completion({"content": "<think>hm</think> "})),
        Json({"choices": []}),
        Json(b"no json"),
    ],
    ids=["error", "reset", "empty", "cut off", "too long", "a tool call", "only thoughts", "no choice", "no json"],
)
async def test_what_is_no_summary_drops_at_once(
    reply: Any, provider: ScriptedUpstream, upstream: Counted, ledger: MemoryLedger, small: Route
) -> None:
    provider.default = lambda _request: reply
    one = desk(upstream, ledger)
    assert await one.settle(work(to=small)) == Decision(None)
    assert one.status(*PLACE) == "failed"


async def test_thoughts_before_a_summary_are_left_out(
    provider: ScriptedUpstream, upstream: Counted, ledger: MemoryLedger, small: Route
) -> None:
    provider.reply(Json(completion({"content": f"<think>hm\nhm</think>\n\n{TEXT}\n"})))
    assert await desk(upstream, ledger).settle(work(to=small)) == Decision(TEXT)


async def test_a_store_that_is_down_drops_at_once_and_asks_nobody(
    upstream: Counted, ledger: MemoryLedger, small: Route
) -> None:
    ledger.down = True
    one = desk(upstream, ledger)
    assert await one.settle(work(to=small)) == Decision(None)
    assert upstream.calls == []
    ledger.down = False
    assert await one.look_up(*PLACE) == Decision(None)  # what this process forwarded stays as it is


async def test_a_store_that_dies_in_mid_call_costs_the_summary_only(
    upstream: Counted, ledger: MemoryLedger, small: Route
) -> None:
    one = desk(upstream, ledger)
    upstream.gate.clear()
    one.start(work(to=small))
    await upstream.called.wait()
    ledger.down = True
    upstream.gate.set()
    assert await one.settle(work(to=small)) == Decision(None)


async def test_the_first_record_stands_in_either_order(upstream: Counted, ledger: MemoryLedger, small: Route) -> None:
    one, other = desk(upstream, ledger), desk(upstream, ledger)
    assert await one.give_up(*PLACE) == Decision(None)
    assert await other.settle(work(to=small)) == Decision(None)
    place = ("local", "art_bbbbbbbbbbbb")
    assert await other.settle(work(place[1], to=small)) == Decision(TEXT)
    assert await one.give_up(*place) == Decision(TEXT)


async def test_a_lease_whose_holder_died_is_waited_for_and_then_given_up(
    upstream: Counted, ledger: MemoryLedger, small: Route
) -> None:
    ledger.leases[PLACE] = "of a worker that was killed"
    one = desk(upstream, ledger)
    assert await one.settle(work(to=small, timeout_seconds=0.3)) == Decision(None)
    assert upstream.calls == []


async def test_three_failures_in_a_row_leave_the_summariser_alone_for_a_minute(
    provider: ScriptedUpstream, upstream: Counted, ledger: MemoryLedger, small: Route
) -> None:
    clock, results = Clock(), list[str]()
    one = desk(upstream, ledger, results, clock)
    provider.reply(error(500), error(500), error(500))
    for number in range(3):
        await one.settle(work(f"art_{number}", to=small))
    assert await one.settle(work("art_4", to=small)) == Decision(None)
    assert len(upstream.calls) == 3
    assert results[-2:] == ["skipped", "dropped"]
    clock.now = 61
    assert await one.settle(work("art_5", to=small)) == Decision(TEXT)


async def test_a_known_decision_is_renewed_now_and_then(upstream: Counted, ledger: MemoryLedger, small: Route) -> None:
    clock = Clock()
    one = desk(upstream, ledger, now=clock)
    await one.settle(work(to=small))
    asked: list[str] = []
    find: Callable[..., Any] = ledger.find

    async def counted(tenant: str, key: str) -> Decision | None:
        asked.append(key)
        found: Decision | None = await find(tenant, key)
        return found

    ledger.find = counted  # type: ignore[method-assign]
    assert await one.look_up(*PLACE) == Decision(TEXT)
    assert asked == []
    clock.now = 601
    ledger.decisions.clear()
    assert await one.look_up(*PLACE) == Decision(TEXT)
    assert asked == [PLACE[1]]


async def test_another_process_finds_what_was_recorded(upstream: Counted, ledger: MemoryLedger, small: Route) -> None:
    await desk(upstream, ledger).settle(work(to=small))
    assert await desk(upstream, ledger).look_up(*PLACE) == Decision(TEXT)
    assert await desk(upstream, ledger).look_up("somebody-else", PLACE[1]) is None


async def test_closing_ends_a_call_under_way(upstream: Counted, ledger: MemoryLedger, small: Route) -> None:
    one = desk(upstream, ledger)
    upstream.gate.clear()
    one.start(work(to=small))
    await upstream.called.wait()
    await one.close()
    assert one.status(*PLACE) == "none"
    assert ledger.leases == {}
