"""Streams: what the provider says arrives when it is said, and a break is told as one."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import ClientResponse, ClientSession

from proxy.app import Running
from tests.end_to_end.house import Provider, Transport, ask, chat, look, settled
from tests.scripted_upstream import DONE, Reset, Stream, chunk, error, usage_chunk

pytestmark = pytest.mark.asyncio(loop_scope="module")

USAGE = {
    "prompt_tokens": 1_000,
    "completion_tokens": 50,
    "total_tokens": 1_050,
    "prompt_tokens_details": {"cached_tokens": 900},
}
FIRST, SECOND = chunk({"role": "assistant", "content": "one"}), chunk({"content": "two"})


async def test_a_chunk_is_here_before_the_next_one_was_sent(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    gate = asyncio.Event()
    provider.reply(Stream([FIRST, gate, SECOND, chunk({}, "stop"), DONE]))
    async with client.post("/v1/chat/completions", json=chat(f"{transport}-32000", stream=True)) as answer:
        assert answer.content_type == "text/event-stream"
        before = await _until(answer, b"one")
        assert b"two" not in before
        gate.set()
        assert b"two" in await _until(answer, b"[DONE]")


async def test_a_relayed_stream_is_the_providers_bytes(client: ClientSession, provider: Provider) -> None:
    said = ["å".encode()[:1], "å".encode()[1:] + b"\r\n\r\n", b": a comment\n\n", b'data: {"choices": []}\n\n', DONE]
    provider.reply(Stream([b"data: ", *said]))
    answer = await ask(client, chat("relay-32000", stream=True))
    assert answer.body == b"data: " + b"".join(said)


async def test_the_headers_of_a_stream_tell_all_that_a_whole_answers_tell(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    whole = await ask(client, chat(f"{transport}-32000"))
    streamed = await ask(client, chat(f"{transport}-32000", stream=True))
    ours = [{name.lower() for name in answer.headers if name.lower().startswith("x-")} for answer in (whole, streamed)]
    assert ours[1] == ours[0] | {"x-accel-buffering"}


@pytest.mark.parametrize("reset", [True, False], ids=["reset", "ends early"])
async def test_a_break_after_the_first_byte_ends_with_an_error_event(
    reset: bool, client: ClientSession, provider: Provider, transport: Transport
) -> None:
    provider.reply(Stream([FIRST], reset=reset))
    answer = await ask(client, chat(f"{transport}-32000", stream=True))
    assert answer.status == 200
    *_, last = _events(answer.body)
    assert last["error"]["code"] == "upstream_error"
    assert b"one" in answer.body
    assert DONE not in answer.body


async def test_a_break_before_the_first_byte_is_a_status(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    provider.reply(Reset(), Reset())  # the second for a pooled connection, which is tried anew
    answer = await ask(client, chat(f"{transport}-32000", stream=True))
    assert (answer.status, answer.error["code"]) == (502, "upstream_error")


async def test_a_refused_stream_is_the_providers_answer(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    provider.reply(error(503, {"error": {"message": "busy"}}, {"retry-after": "3"}))
    answer = await ask(client, chat(f"{transport}-32000", stream=True))
    assert (answer.status, answer.json) == (503, {"error": {"message": "busy"}})
    assert answer.headers["retry-after"] == "3"
    assert answer.number("received-tokens") > 0


async def test_a_client_that_asks_for_the_usage_of_a_stream_gets_it(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    provider.reply(Stream([FIRST, chunk({}, "stop"), usage_chunk(USAGE), DONE]))
    asked = chat(f"{transport}-32000", stream=True, stream_options={"include_usage": True})
    told = [event["usage"] for event in _events((await ask(client, asked)).body) if event.get("usage")]
    assert [(usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]) for usage in told] == [
        (1_000, 900)
    ]


async def test_a_streams_usage_is_recorded_though_the_client_did_not_ask(
    proxy: Running, client: ClientSession, provider: Provider, transport: Transport
) -> None:
    provider.reply(Stream([FIRST, chunk({}, "stop"), usage_chunk(USAGE), DONE]))
    name = f"stream over {transport}"
    await ask(client, chat(f"{transport}-32000", stream=True), headers={"x-context-session": name})
    await settled(proxy)
    session = (await look(client, f"/v1/context/sessions/{name}")).json
    assert session["totals"]["input_tokens"] == 1_000
    assert session["totals"]["cache_read_tokens"] == 900
    assert session["totals"]["output_tokens"] == 50
    assert session["requests"][0]["report"]["usage"]["cache_read_tokens"] == 900


async def _until(answer: ClientResponse, mark: bytes) -> bytes:
    """Read until `mark` has come; the end of the answer comes first only in a failing test."""
    read = b""
    while mark not in read:
        piece = await answer.content.readany()
        assert piece, f"the answer ended without {mark!r}: {read!r}"
        read += piece
    return read


def _events(body: bytes) -> list[dict[str, Any]]:
    data = [part.removeprefix(b"data: ") for part in body.split(b"\n\n")]
    return [json.loads(each) for each in data if each.startswith(b"{")]
