"""A provider that speaks another language: what goes there, what comes back, what is refused."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from proxy.errors import NotFound, RequestError, UpstreamError, UpstreamTimeout
from proxy.upstream import Route, Timeouts, Upstream, Usage
from proxy.upstream.library import load
from tests.scripted_upstream import DONE, Hang, Json, ScriptedUpstream, Stream, error
from tests.upstream.anthropic_events import block, end, message, named, start
from tests.upstream.calls import KEY, ask, call, deltas, events, read, text

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
TEXT = [
    start(),
    *block(0, {"type": "text", "text": ""}, *[{"type": "text_delta", "text": each} for each in ("he", "llo")]),
]


async def test_a_conversation_is_translated(sdk: Upstream, anthropic: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Json(message({"type": "text", "text": "done"})))
    messages = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "look"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "a door"},
    ]
    body = json.loads(await ask(sdk, call(anthropic, messages=messages, tools=[TOOL], max_tokens=50)))
    sent = provider.requests[0]
    assert (sent.path, sent.headers["x-api-key"]) == ("/v1/messages", KEY)
    assert sent.json["system"] == [{"type": "text", "text": "be brief"}]
    assert sent.json["messages"][1]["content"] == [{"type": "tool_use", "id": "t1", "name": "look", "input": {"at": 1}}]
    assert sent.json["messages"][2]["content"][0]["tool_use_id"] == "t1"
    assert sent.json["max_tokens"] == 50
    assert body["choices"][0]["message"]["content"] == "done"
    assert body["object"] == "chat.completion"


async def test_a_stream_with_text_and_a_call_is_translated(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream
) -> None:
    parts = [{"type": "input_json_delta", "partial_json": each} for each in ('{"at"', ": 1}")]
    tool = block(1, {"type": "tool_use", "id": "t1", "name": "look", "input": {}}, *parts)
    provider.reply(Stream([*TEXT, *tool, *end("tool_use")]))
    async with sdk.open(call(anthropic, tools=[TOOL], stream=True)) as answer:
        body = await read(answer)
    calls = [part for delta in deltas(body) for part in delta.get("tool_calls", [])]
    assert text(body) == "hello"
    assert (calls[0]["id"], calls[0]["function"]["name"]) == ("t1", "look")
    assert "".join(part["function"]["arguments"] for part in calls) == '{"at": 1}'
    assert events(body)[-1]["choices"][0]["finish_reason"] == "tool_calls"
    assert body.endswith(DONE)
    assert answer.usage == Usage(input_tokens=10, output_tokens=9, cache_read_tokens=5, cache_write_tokens=2)


async def test_usage_is_shown_to_a_client_that_asks_and_to_no_other(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(*[Stream([*TEXT, *end("end_turn")])] * 2)
    silent = await ask(sdk, call(anthropic, stream=True))
    asked = await ask(sdk, call(anthropic, stream=True, stream_options={"include_usage": True}))
    assert not any("usage" in event for event in events(silent))
    assert events(asked)[-1]["usage"]["prompt_tokens"] == 10


async def test_the_first_chunk_does_not_wait_for_the_last(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream
) -> None:
    gate = asyncio.Event()
    provider.reply(Stream([*TEXT, gate, *end("end_turn")]))
    async with sdk.open(call(anthropic, stream=True)) as answer:
        first = await anext(answer.chunks())
        gate.set()
    assert text(first) == "he"


async def test_the_providers_error_passes_as_it_is(sdk: Upstream, anthropic: Route, provider: ScriptedUpstream) -> None:
    told = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
    provider.reply(error(429, told, {"retry-after": "9", "request-id": "r"}))
    async with sdk.open(call(anthropic)) as answer:
        body = json.loads(await read(answer))
    assert (answer.status, body, answer.headers["retry-after"]) == (429, told, "9")
    assert len(provider.requests) == 1


async def test_an_error_within_a_stream_raises(sdk: Upstream, anthropic: Route, provider: ScriptedUpstream) -> None:
    overloaded = named("error", error={"type": "overloaded_error", "message": "Overloaded"})
    provider.reply(Stream([*TEXT, overloaded]))
    async with sdk.open(call(anthropic, stream=True)) as answer:
        with pytest.raises(UpstreamError, match="Overloaded"):
            await read(answer)


async def test_a_stream_that_just_ends_is_truncated(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Stream(TEXT))
    async with sdk.open(call(anthropic, stream=True)) as answer:
        with pytest.raises(UpstreamError) as caught:
            await read(answer)
    assert caught.value.kind == "truncated"


@pytest.mark.parametrize("stream", [False, True])
async def test_no_redirect_is_followed(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream, canary: ScriptedUpstream, stream: bool
) -> None:
    provider.reply(Json(b"", 307, {"location": canary.origin}))
    with pytest.raises(UpstreamError, match="redirect"):
        await ask(sdk, call(anthropic, stream=stream))
    assert canary.connections == 0


async def test_silence_times_out_and_aborts(sdk: Upstream, anthropic: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Hang())
    with pytest.raises(UpstreamTimeout):
        await ask(sdk, call(replace(anthropic, timeouts=Timeouts(5, 0.2, 0.2))))
    await asyncio.wait_for(provider.aborted.wait(), 1)


async def test_leaving_a_stream_aborts_it(sdk: Upstream, anthropic: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Stream([*TEXT, asyncio.Event()]))
    async with sdk.open(call(anthropic, stream=True)) as answer:
        await anext(answer.chunks())
    await asyncio.wait_for(provider.aborted.wait(), 1)


async def test_hints_that_the_provider_does_not_know_are_left_out(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Json(message({"type": "text", "text": "x"})))
    hints: dict[str, Any] = {
        "prompt_cache_key": "k",
        "store": True,
        "safety_identifier": "s",
        "seed": 1,
        "n": 1,
        "presence_penalty": 0,
    }
    await ask(sdk, call(anthropic, **hints, user="u1"))
    sent = provider.requests[0].json
    assert not hints.keys() & sent.keys()
    assert sent["metadata"] == {"user_id": "u1"}


async def test_a_wish_that_the_provider_cannot_meet_is_refused(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream
) -> None:
    with pytest.raises(RequestError, match="logprobs"):
        await ask(sdk, call(anthropic, logprobs=True))
    assert provider.connections == 0


STEERING = ["api_base", "base_url", "api_key", "custom_llm_provider", "extra_headers", "headers", "extra_body"]
STEERING += ["mock_response", "fallbacks", "model_list", "timeout", "num_retries", "metadata", "litellm_params"]
STEERING += ["proxy", "aws_bedrock_runtime_endpoint", "vertex_project", "azure_ad_token", "callbacks", "provider_url"]


@pytest.mark.parametrize("name", STEERING)
async def test_no_field_of_a_body_steers_the_call(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream, canary: ScriptedUpstream, name: str
) -> None:
    nested = [{"model": "openai/x", "api_base": canary.url, "api_key": "sk-client"}]
    values: tuple[Any, ...] = (canary.url, nested, {"api_base": canary.url, "fallbacks": nested})
    for value in values:
        provider.reply(error(429))
        async with sdk.open(call(anthropic, **{name: value})) as answer:
            await read(answer)
        assert answer.status == 429
        assert canary.url not in provider.requests[-1].body.decode()
    assert (len(provider.requests), canary.connections) == (3, 0)
    assert {request.headers["x-api-key"] for request in provider.requests} == {KEY}


@pytest.fixture
def lenient(canary: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch) -> None:
    """LiteLLM as it would fetch from the canary, whose address it refuses by itself."""
    monkeypatch.setattr(load(), "user_url_allowed_hosts", [canary.origin.removeprefix("http://")])


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("name", ["anthropic", "bedrock"])
async def test_a_remote_image_is_not_fetched_here(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream, canary: ScriptedUpstream, name: str
) -> None:
    image = {"type": "image_url", "image_url": {"url": f"{canary.origin}/x.png", "detail": "high"}}
    provider.reply(error(400))
    with suppress(RequestError, UpstreamError):
        await ask(sdk, call(replace(anthropic, provider=name), messages=[{"role": "user", "content": [image]}]))
    assert canary.connections == 0


async def test_only_chat_completions_go_through_litellm(sdk: Upstream, anthropic: Route) -> None:
    with pytest.raises(NotFound, match="chat completions only"):
        await ask(sdk, call(anthropic, path="embeddings"))


@pytest.mark.parametrize("body", [b"", b"[]", b'{"messages": 1}', b'{"model": "m"}', b'{"messages": [NaN]}'])
async def test_a_body_that_is_no_request_is_refused(sdk: Upstream, anthropic: Route, body: bytes) -> None:
    with pytest.raises(RequestError):
        await ask(sdk, replace(call(anthropic), body=body))
