"""The headers of a completion's answer (contract 5), and their arithmetic."""

from __future__ import annotations

import re

import pytest
from aiohttp import ClientSession

from tests.end_to_end.house import Provider, Transport, ask, chat, history
from tests.scripted_upstream import error

pytestmark = pytest.mark.asyncio(loop_scope="module")

NUMBERS = {
    "received-tokens",
    "forwarded-tokens",
    "compacted-turns",
    "dropped-tokens",
    "cleared-tokens",
    "spilled-results",
    "spilled-tokens",
    "reduced-tokens",
    "added-tokens",
    "repeated-results",
    "repeated-calls",
    "batches",
}
TEXTS = {"session", "policy", "request-id", "summary", "budget"}
TAKEN_OUT = ("dropped-tokens", "cleared-tokens", "spilled-tokens", "reduced-tokens")


async def test_an_answer_carries_every_header(client: ClientSession, provider: Provider, transport: Transport) -> None:
    answer = await ask(client, chat(f"{transport}-32000"))
    told = {name.lower().removeprefix("x-context-"): value for name, value in answer.headers.items()}
    ours = {name for name in answer.headers if name.lower().startswith("x-context-")}
    assert {name.lower().removeprefix("x-context-") for name in ours} == NUMBERS | TEXTS
    assert all(told[name].isdigit() for name in NUMBERS)
    assert (told["policy"], told["summary"]) == ("default", "none")
    assert re.fullmatch(r"ses_[a-z2-7]{20}", told["session"])
    assert re.fullmatch(r"system=\d+/1600;active=\d+/16000;history=\d+/8000;output=\d+/6400", told["budget"])


async def test_a_providers_error_carries_them_too(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    provider.reply(error(500))
    answer = await ask(client, chat(f"{transport}-32000"))
    assert answer.status == 500
    assert answer.number("received-tokens") > 0


@pytest.mark.parametrize("window", [300, 600, 1_000, 2_000, 4_096])
@pytest.mark.parametrize(("turns", "lines"), [(2, 100), (6, 30), (40, 12), (80, 3)])
async def test_received_and_added_less_what_was_taken_out_is_forwarded(
    turns: int, lines: int, window: int, client: ClientSession, provider: Provider
) -> None:
    answer = await ask(client, chat(f"relay-{window}", *history(turns, lines)))
    assert answer.status == 200
    came = answer.number("received-tokens") + answer.number("added-tokens")
    assert came - sum(answer.number(name) for name in TAKEN_OUT) == answer.number("forwarded-tokens") <= window


async def test_forwarded_is_what_a_second_proxy_would_receive(client: ClientSession, provider: Provider) -> None:
    first = await ask(client, chat("relay-1000", *history(12)))
    again = await ask(client, provider.only.json | {"model": "relay-32000"})
    assert first.number("forwarded-tokens") == again.number("received-tokens")
    assert first.number("received-tokens") > first.number("forwarded-tokens")


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
async def test_a_maximum_output_that_does_not_fit_is_lowered_and_told(
    field: str, client: ClientSession, provider: Provider, transport: Transport
) -> None:
    answer = await ask(client, chat(f"{transport}-4096", **{field: 50_000}))
    lowered = answer.number("output-clamped")
    assert provider.only.json[field] == lowered == 4_096 - answer.number("forwarded-tokens")


async def test_a_maximum_output_that_fits_is_left_alone(client: ClientSession, provider: Provider) -> None:
    answer = await ask(client, chat("relay-4096", max_tokens=3_000))
    assert provider.only.json["max_tokens"] == 3_000
    assert "x-context-output-clamped" not in answer.headers
