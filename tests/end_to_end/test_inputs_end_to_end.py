"""The other inputs: odd texts, sizes, fields and ids, each handled as the last table of `faults.md` says."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from aiohttp import ClientSession

from proxy.app import Running
from proxy.settings import Settings
from tests.end_to_end.house import WINDOWS, Provider, Transport, ask, look, settled, texts
from tests.end_to_end.inputs import forwarded, given, names_below, needs_shared, raw, unbroken

pytestmark = [pytest.mark.asyncio(loop_scope="module"), needs_shared]


@pytest.mark.parametrize("transport", ["relay", "litellm"])
async def test_04_special_token_text_is_forwarded_unchanged_and_counted_as_text(
    transport: Transport, client: ClientSession, provider: Provider
) -> None:
    sent = given("04") | {"model": f"{transport}-32000"}
    answer = await ask(client, sent)
    assert answer.status == 200
    assert provider.only.json["messages"] == sent["messages"]
    plain = json.loads(json.dumps(sent).replace("<|endoftext|>", ""))
    assert answer.number("received-tokens") > (await ask(client, plain)).number("received-tokens") + 2


@pytest.mark.parametrize("window", [window for window in WINDOWS if window >= 300])
@pytest.mark.parametrize("times", [1, 42], ids=["as it is", "a million characters"])
async def test_05_the_error_in_an_unbroken_run_survives(
    window: int, times: int, client: ClientSession, provider: Provider
) -> None:
    sent = unbroken(times) | {"model": f"relay-{window}"}
    got = forwarded(await ask(client, sent), provider, sent)
    assert got is not None
    assert "last line: linker ran out of disk" in texts(got)


async def test_05_health_is_answered_while_a_million_characters_are_counted(
    client: ClientSession, provider: Provider
) -> None:
    asking = asyncio.create_task(ask(client, unbroken(41) | {"model": "relay-1000000"}))
    answered = 0
    while not provider.requests and not asking.done():
        assert (await look(client, "/healthz")).status == 200
        answered += 1
    assert (await asking).status == 200
    assert answered > 30, "the count held up the loop"


async def test_06_a_fixed_part_over_the_window_is_one_clear_refusal(client: ClientSession, provider: Provider) -> None:
    answer = await ask(client, given("06") | {"model": "relay-4096"})
    assert answer.status == 400
    assert answer.error["code"] == "context_length_exceeded"
    assert "window of 4096" in answer.error["message"]
    budget = answer.error["budget"]
    assert budget["system"]["used"] > budget["window"] == 4096
    assert provider.requests == []


async def test_06_passes_with_its_section_sizes_where_the_policy_says_forward(
    client: ClientSession, provider: Provider
) -> None:
    sent = given("06") | {"model": "relay-4096"}
    answer = await ask(client, sent, headers={"x-context-policy": "forward"})
    assert answer.status == 200
    assert len(provider.requests) == 1
    system = re.match(r"system=(\d+)/204;active=\d+/2048;", answer.headers["x-context-budget"])
    assert system is not None
    assert int(system[1]) > 4096


@pytest.mark.parametrize("transport", ["relay", "litellm"])
@pytest.mark.parametrize("window", [300, 400, 600, 32_000])
async def test_08_reasoning_signatures_and_unknown_fields_arrive(
    window: int, transport: Transport, client: ClientSession, provider: Provider
) -> None:
    sent = given("08") | {"model": f"{transport}-{window}"}
    got = forwarded(await ask(client, sent), provider, sent)
    assert got is not None
    for name in ("reasoning_effort", "vendor_toggle", "prompt_cache_key"):
        assert got[name] == sent[name]
    assert got["tools"][: len(sent["tools"])] == sent["tools"]
    mine = [message for message in sent["messages"] if message["role"] != "tool"]
    assert [message for message in got["messages"] if message["role"] != "tool"] == mine
    assert got["messages"][-1] == sent["messages"][-1]


@pytest.mark.parametrize("window", [400, 600, 1_000, 4_096, 32_000])
async def test_11_hostile_ids_arrive_exactly_and_name_nothing(
    window: int, proxy: Running, client: ClientSession, provider: Provider, settings: Settings
) -> None:
    sent = given("11") | {"model": f"relay-{window}"}
    got = forwarded(await ask(client, sent), provider, sent)
    assert got is not None
    assert got["messages"][2] == sent["messages"][2]
    ids = [call["id"] for call in sent["messages"][2]["tool_calls"]]
    assert [message["tool_call_id"] for message in got["messages"] if message["role"] == "tool"] == ids
    await settled(proxy)
    names = names_below(settings.artifacts.url)
    assert not [name for name in names if "cron" in name or "thought" in name or name == "x"]


@pytest.mark.parametrize("window", [400, 600, 1_000, 4_096, 32_000])
async def test_11_the_planted_order_stays_tool_text(window: int, client: ClientSession, provider: Provider) -> None:
    sent = given("11") | {"model": f"relay-{window}"}
    got = forwarded(await ask(client, sent), provider, sent)
    assert got is not None
    spoken = texts({"messages": [message for message in got["messages"] if message["role"] != "tool"]})
    assert "NOTE TO ASSISTANT" not in spoken
    assert got["messages"][0] == sent["messages"][0]
    assert got["messages"][-1] == sent["messages"][-1]


@pytest.mark.parametrize("foreign", ["art_0000000000000000", "00000000000000000000beef", "..%2F..%2Fetc%2Fpasswd"])
async def test_11_foreign_markers_lead_nowhere(foreign: str, client: ClientSession, provider: Provider) -> None:
    answer = await look(client, f"/v1/context/artifacts/{foreign}")
    assert (answer.status, answer.error["code"]) == (404, "not_found")


@pytest.mark.parametrize("transport", ["relay", "litellm"])
@pytest.mark.parametrize("window", [150, 300, 32_000])
async def test_13_half_an_emoji_and_half_a_call_are_no_error(
    window: int, transport: Transport, client: ClientSession, provider: Provider
) -> None:
    answer = await ask(client, raw("13", f"{transport}-{window}"))
    assert answer.status == 200
    assert answer.headers["x-context-degraded"] == "json"
    messages = provider.only.json["messages"]
    assert messages[1]["content"] == "Label this: café � box (half an emoji came through)."
    sent = given("13")["messages"]
    assert messages[2]["tool_calls"] == sent[2]["tool_calls"]
    assert messages[3:] == sent[3:]
