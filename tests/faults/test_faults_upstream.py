"""What goes wrong at the provider reaches the agent as it was, through the whole proxy, over both transports."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from proxy.settings import TimeoutSettings
from tests.faults.bench import NO_STORE, Bench, bench
from tests.scripted_upstream import DONE, Hang, Item, Json, Reset, ScriptedUpstream, Stream, chunk, error

# LiteLLM warns in the middle of its own work; as errors these break what it caches for every later test.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Items? .* using the `ReadOnly` qualifier:UserWarning"),
    pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance:DeprecationWarning"),
]

HELLO: list[Item] = [chunk({"role": "assistant", "content": "hel"}), chunk({"content": "lo"})]
TOLD = {"error": {"message": "not now", "type": "busy", "param": None, "code": "b1", "vendor": {"hint": 7}}}
KEPT = {"retry-after": "0", "x-ratelimit-remaining-requests": "3", "x-request-id": "up-1"}


def a_request(stream: bool = False) -> dict[str, Any]:
    asked: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    return asked | ({"stream": True} if stream else {})


@pytest.fixture(params=["relay", "litellm"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def at(tmp_path: Path, transport: str) -> AsyncIterator[Bench]:
    short = TimeoutSettings(connect_seconds=5, first_byte_seconds=0.5, idle_seconds=0.5)
    async with bench(tmp_path, state_url=NO_STORE, change={"transport": transport, "timeouts": short}) as b:
        yield b


@pytest.fixture
async def retrying(tmp_path: Path, transport: str) -> AsyncIterator[Bench]:
    change = {"transport": transport, "retries": 1}
    async with bench(tmp_path, state_url=NO_STORE, change=change) as opened:
        yield opened


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("status", "kind"), [(429, "status_429"), (500, "status_5xx"), (503, "status_5xx")])
async def test_an_error_status_passes_with_its_body_and_headers(
    at: Bench, status: int, kind: str, stream: bool
) -> None:
    at.provider.reply(error(status, TOLD, KEPT))
    answer = await at.ask(a_request(stream))
    assert (answer.status, json.loads(answer.body)) == (status, TOLD)
    headers = {name.lower(): value for name, value in answer.headers.items()}
    assert KEPT.items() <= headers.items()
    assert int(headers["x-context-forwarded-tokens"]) > 0
    assert len(at.forwarded) == 1
    assert await at.metric("forebay_upstream_errors_total", model="m", kind=kind) == 1


@pytest.mark.parametrize("stream", [False, True])
async def test_silence_before_the_first_byte_is_504(at: Bench, stream: bool) -> None:
    at.provider.reply(Hang())
    answer = await at.ask(a_request(stream))
    assert (answer.status, answer.error["code"]) == (504, "upstream_timeout")
    assert "timeouts.first_byte_seconds" in answer.error["message"]
    assert len(at.forwarded) == 1
    assert await at.metric("forebay_upstream_errors_total", model="m", kind="timeout") == 1


@pytest.mark.parametrize("stream", [False, True])
async def test_a_reset_before_the_first_byte_is_502(at: Bench, stream: bool) -> None:
    at.provider.reply(Reset())
    answer = await at.ask(a_request(stream))
    assert (answer.status, answer.error["code"]) == (502, "upstream_error")
    assert len(at.forwarded) == 1
    assert await at.metric("forebay_upstream_errors_total", model="m", kind="connection") == 1


async def test_a_reset_on_a_connection_used_before_is_repeated_once_and_then_502(at: Bench) -> None:
    await at.ask(a_request())
    at.provider.reply(Reset(), Reset(), Reset())
    answer = await at.ask(a_request())
    assert answer.status == 502
    assert len(at.forwarded) <= 3


@pytest.mark.parametrize("stream", [False, True])
async def test_a_redirect_is_told_and_not_followed(at: Bench, stream: bool) -> None:
    async with ScriptedUpstream() as elsewhere:
        at.provider.reply(Json(b"", 307, {"location": elsewhere.url}))
        answer = await at.ask(a_request(stream))
        assert (answer.status, answer.error["code"]) == (502, "upstream_error")
        assert "redirect (307)" in answer.error["message"]
        assert (len(at.forwarded), elsewhere.connections) == (1, 0)


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (Stream(HELLO, reset=True), "upstream_error"),
        (Stream(HELLO), "upstream_error"),
    ],
    ids=["reset", "just ends"],
)
async def test_a_stream_that_breaks_ends_with_an_error_event(at: Bench, broken: Stream, code: str) -> None:
    at.provider.reply(broken)
    answer = await at.ask(a_request(stream=True))
    assert answer.status == 200
    events = [json.loads(part[len(b"data: ") :]) for part in answer.body.split(b"\n\n") if part]
    assert [event["choices"][0]["delta"]["content"] for event in events[:-1]] == ["hel", "lo"]
    assert events[-1]["error"]["code"] == code
    assert DONE not in answer.body
    assert len(at.forwarded) == 1


async def test_silence_in_mid_stream_ends_with_an_error_event(at: Bench) -> None:
    at.provider.reply(Stream([*HELLO, asyncio.Event()]))
    answer = await at.ask(a_request(stream=True))
    last = json.loads(answer.body.split(b"\n\n")[-2][len(b"data: ") :])
    assert last["error"]["code"] == "upstream_timeout"
    assert DONE not in answer.body


async def test_one_retry_is_one_more_call(retrying: Bench) -> None:
    retrying.provider.reply(error(429, TOLD, KEPT))
    answer = await retrying.ask(a_request())
    assert (answer.status, len(retrying.forwarded)) == (200, 2)
    assert retrying.forwarded[0] == retrying.forwarded[1]


async def test_after_one_retry_the_second_failure_passes(retrying: Bench) -> None:
    retrying.provider.reply(error(500, TOLD, KEPT), error(503, TOLD, KEPT))
    answer = await retrying.ask(a_request())
    assert (answer.status, len(retrying.forwarded)) == (503, 2)


async def test_nothing_is_retried_after_the_first_byte(retrying: Bench) -> None:
    retrying.provider.reply(Stream(HELLO, reset=True))
    answer = await retrying.ask(a_request(stream=True))
    assert answer.status == 200
    assert b'"error"' in answer.body
    assert len(retrying.forwarded) == 1
