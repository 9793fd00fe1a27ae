"""Inputs 01, 03 and 10: which turns leave, and that what leaves stays whole (see `faults.md`, last table)."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.app import Running
from tests.end_to_end.house import KEEPS, LOCATOR, Provider, ask, look, settled, texts
from tests.end_to_end.inputs import TIGHT, forwarded, given, needs_shared

pytestmark = [pytest.mark.asyncio(loop_scope="module"), needs_shared]

at_tight_windows = pytest.mark.parametrize("window", TIGHT)


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("window", [500, 600, 800, 1_000])
async def test_01_six_parallel_results_stay_with_their_call_or_all_leave(
    keep: int, window: int, client: ClientSession, provider: Provider
) -> None:
    sent = given("01") | {"model": f"relay-{window}"}
    answer = await ask(client, sent, headers={"x-context-policy": f"keep-{keep}"})
    assert answer.number("received-tokens") > answer.number("forwarded-tokens")
    got = forwarded(answer, provider, sent)
    assert got is not None
    results = [message["tool_call_id"] for message in got["messages"] if message["role"] == "tool"]
    assert results in ([], [f"call_p{bay}" for bay in range(1, 7)])


@pytest.mark.parametrize("keep", KEEPS)
async def test_01_with_more_turns_behind_it_all_six_leave_together(
    keep: int, client: ClientSession, provider: Provider
) -> None:
    sent = given("01") | {"model": "relay-1000"}
    for number in range(8):
        question = {"role": "user", "content": f"And of bay {number}?"}
        sent["messages"] += [{"role": "assistant", "content": f"{number} pallets. " * 20}, question]
    answer = await ask(client, sent, headers={"x-context-policy": f"keep-{keep}"})
    got = forwarded(answer, provider, sent)
    assert got is not None
    assert [message for message in got["messages"] if message["role"] == "tool"] == []
    assert answer.number("compacted-turns") > 0


@at_tight_windows
async def test_03_each_reading_stays_with_its_own_meter(window: int, client: ClientSession, provider: Provider) -> None:
    sent = given("03") | {"model": f"relay-{window}"}
    got = forwarded(await ask(client, sent), provider, sent)
    if got is None:
        return
    meters = {"north": "1204", "south": "988", "east": "1571"}
    for call, result in _calls_with_results(got):
        meter = json.loads(call["arguments"])["cmd"].removeprefix("meter ")
        assert result == f"{meter}: {meters[meter]} m3"


async def test_03_three_cleared_results_of_one_id_are_three_artifacts(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    sent = given("03") | {"model": "relay-1000"}
    originals = []
    for message in sent["messages"]:
        if message["role"] == "tool":
            message["content"] += "\n" + "no leak, seal intact, glass clean\n" * 40
            originals.append(message["content"])
    answer = await ask(client, sent, headers={"x-context-policy": "keep-2"})
    got = forwarded(answer, provider, sent)
    assert got is not None
    await settled(proxy)
    stubs = [result for _, result in _calls_with_results(got)]
    told = [await _original(client, stub) for stub in stubs]
    assert told == originals[-len(told) :]
    assert len(told) >= 2


@at_tight_windows
async def test_10_the_first_task_and_the_last_word_stay_verbatim(
    window: int, client: ClientSession, provider: Provider
) -> None:
    sent = given("10") | {"model": f"relay-{window}"}
    got = forwarded(await ask(client, sent), provider, sent)
    if got is None:
        return
    system, task = got["messages"][:2]
    assert system == sent["messages"][0]
    assert task["content"].startswith(sent["messages"][1]["content"])
    assert got["messages"][-1] == sent["messages"][-1]


@at_tight_windows
async def test_10_what_was_said_between_is_there_or_stands_behind_the_notice(
    window: int, proxy: Running, client: ClientSession, provider: Provider
) -> None:
    sent = given("10") | {"model": f"relay-{window}"}
    got = forwarded(await ask(client, sent), provider, sent)
    if got is None:
        return
    await settled(proxy)
    notices = LOCATOR.findall(got["messages"][1]["content"])
    told = texts(got) + "".join([await _artifact(client, locator) for locator in notices])
    assert "Plates 5 and 7 are cracked." in told
    if "Also send the donor letter" in texts(got):
        assert "letter sent, id 5521" in texts(got)


def _calls_with_results(body: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Every single call with the result right behind it."""
    return [
        (first["tool_calls"][0]["function"], second["content"])
        for first, second in pairwise(body["messages"])
        if second["role"] == "tool"
    ]


async def _original(client: ClientSession, result: str) -> str:
    """A result as it was: itself, or the artifact that its stub names."""
    (locator,) = LOCATOR.findall(result) or [None]
    return result if locator is None else await _artifact(client, locator)


async def _artifact(client: ClientSession, locator: str) -> str:
    text: str = (await look(client, f"/v1/context/artifacts/{locator}")).json["text"]
    return text
