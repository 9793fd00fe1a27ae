"""What both transports do alike: one suite, run over each."""

from __future__ import annotations

import asyncio
import gzip
import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from proxy.errors import UpstreamError, UpstreamTimeout
from proxy.upstream import Route, Timeouts, Upstream, Usage
from tests.scripted_upstream import (
    DONE,
    Hang,
    Item,
    Json,
    Reset,
    ScriptedUpstream,
    Stream,
    chunk,
    completion,
    error,
    event,
    usage_chunk,
)
from tests.upstream.calls import KEY, ask, call, deltas, events, read, read_into, text

USAGE = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "prompt_tokens_details": {"cached_tokens": 4}}
HELLO: list[Item] = [chunk({"role": "assistant", "content": "he"}), chunk({"content": "llo"}), chunk({}, "stop"), DONE]
SHORT = Timeouts(connect=5, first_byte=0.2, idle=0.2)


async def test_a_plain_answer_arrives(upstream: Upstream, route: Route) -> None:
    async with upstream.open(call(route)) as answer:
        body = json.loads(await read(answer))
    assert (answer.status, answer.is_event_stream) == (200, False)
    assert body["choices"][0]["message"]["content"] == "good morning"


async def test_usage_is_known_after_a_plain_answer(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Json(completion({"content": "x"}, usage=USAGE)))
    async with upstream.open(call(route)) as answer:
        await read(answer)
    assert answer.usage == Usage(input_tokens=9, output_tokens=3, cache_read_tokens=4)


async def test_a_stream_arrives_in_order_and_ends_itself(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Stream(HELLO))
    async with upstream.open(call(route, stream=True)) as answer:
        body = await read(answer)
    assert answer.is_event_stream
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert text(body) == "hello"
    assert body.endswith(DONE)


async def test_the_first_chunk_arrives_before_the_second_is_sent(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    gate = asyncio.Event()
    provider.reply(Stream([HELLO[0], gate, *HELLO[1:]]))
    async with upstream.open(call(route, stream=True)) as answer:
        chunks = answer.chunks()
        first = await anext(chunks)
        gate.set()
        rest = b"".join([chunk async for chunk in chunks])
    assert text(first) == "he"
    assert text(rest) == "llo"


async def test_a_stream_that_is_asked_for_its_usage_states_it_without_choices(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Stream([*HELLO[:-1], usage_chunk(USAGE), DONE]))
    asked = call(route, stream=True, stream_options={"include_usage": True})
    async with upstream.open(asked) as answer:
        last = events(await read(answer))[-1]
    assert last["choices"] == []
    assert last["usage"]["prompt_tokens"] == 9
    assert answer.usage == Usage(input_tokens=9, output_tokens=3, cache_read_tokens=4)


async def test_interleaved_parallel_calls_keep_their_indices(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    def part(index: int, arguments: str, **more: Any) -> dict[str, Any]:
        return chunk({"tool_calls": [{"index": index, "function": {"arguments": arguments}, **more}]})

    parts = [part(0, "{", id="a", type="function"), part(1, "[", id="b", type="function"), part(0, "}"), part(1, "]")]
    provider.reply(Stream([*parts, chunk({}, "tool_calls"), DONE]))
    body = await ask(upstream, call(route, stream=True))
    arguments = {0: "", 1: ""}
    for delta in deltas(body):
        for each in delta.get("tool_calls", []):
            arguments[each["index"]] += each["function"]["arguments"]
    assert arguments == {0: "{}", 1: "[]"}


async def test_a_character_may_be_cut_at_every_byte(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    sent = event(chunk({"content": "__"})).replace(b"__", "🦑é".encode())
    provider.reply(Stream([*[sent[at : at + 1] for at in range(len(sent))], *HELLO[2:]]))
    assert text(await ask(upstream, call(route, stream=True))) == "🦑é"


async def test_several_events_may_come_in_one_chunk(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    together = b"".join(event(each) if isinstance(each, dict) else DONE for each in HELLO)
    provider.reply(Stream([together]))
    assert text(await ask(upstream, call(route, stream=True))) == "hello"


async def test_an_event_of_two_megabytes_arrives(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Stream([chunk({"content": "x" * 2_000_000}), *HELLO[2:]]))
    assert len(text(await ask(upstream, call(route, stream=True)))) == 2_000_000


async def test_a_stream_may_repeat_itself(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Stream([*[chunk({"content": "again "})] * 300, *HELLO[2:]]))
    assert text(await ask(upstream, call(route, stream=True))) == "again " * 300


async def test_large_answer_headers_do_no_harm(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Json(completion({"content": "x"}), headers={"x-vendor-trace": "t" * 60_000, "x-request-id": "r1"}))
    async with upstream.open(call(route)) as answer:
        await read(answer)
    assert (answer.status, answer.headers["x-request-id"]) == (200, "r1")


async def test_only_listed_answer_headers_pass(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    listed = {"retry-after": "1", "x-ratelimit-remaining-tokens": "5", "x-request-id": "r1"}
    provider.reply(Json(completion({"content": "x"}), headers={**listed, "set-cookie": "a=b", "x-vendor": "1"}))
    async with upstream.open(call(route)) as answer:
        await read(answer)
    assert dict(answer.headers) == {**listed, "content-type": "application/json"}


@pytest.mark.parametrize("status", [400, 401, 404, 422, 429, 500, 503])
@pytest.mark.parametrize("stream", [False, True])
async def test_an_error_keeps_status_body_and_headers(
    upstream: Upstream, route: Route, provider: ScriptedUpstream, status: int, stream: bool
) -> None:
    kept = {"retry-after": "7", "x-ratelimit-remaining-requests": "0", "x-request-id": "r1"}
    told = {"error": {"message": "no", "type": "t", "param": None, "code": "c", "vendor": {"a": 1}}}
    provider.reply(error(status, told, kept))
    async with upstream.open(call(route, stream=stream)) as answer:
        body = await read(answer)
    assert (answer.status, json.loads(body), answer.is_event_stream) == (status, told, False)
    assert kept.items() <= dict(answer.headers).items()
    assert len(provider.requests) == 1


async def test_an_error_that_is_no_json_passes_as_it_is(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Json(b"<html>busy</html>", 503, {"content-type": "text/html"}))
    async with upstream.open(call(route)) as answer:
        body = await read(answer)
    assert (answer.status, body, answer.headers["content-type"]) == (503, b"<html>busy</html>", "text/html")


async def test_a_gzipped_answer_arrives_inflated(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    packed = gzip.compress(json.dumps(completion({"content": "unpacked"})).encode())
    provider.reply(Json(packed, headers={"content-encoding": "gzip"}))
    async with upstream.open(call(route)) as answer:
        body = json.loads(await read(answer))
    assert body["choices"][0]["message"]["content"] == "unpacked"
    assert "content-encoding" not in answer.headers


@pytest.mark.parametrize("stream", [False, True])
async def test_a_redirect_is_not_followed(
    upstream: Upstream, route: Route, provider: ScriptedUpstream, canary: ScriptedUpstream, stream: bool
) -> None:
    provider.reply(Json(b"", 307, {"location": canary.url}))
    with pytest.raises(UpstreamError, match=r"redirect \(307\)") as caught:
        await ask(upstream, call(route, stream=stream))
    assert caught.value.kind == "redirect"
    assert (len(provider.requests), canary.connections) == (1, 0)


async def test_a_reset_before_the_first_byte_is_an_error(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Reset())
    with pytest.raises(UpstreamError) as caught:
        await ask(upstream, call(route))
    assert caught.value.kind == "connection"
    assert len(provider.requests) == 1


async def test_a_server_that_is_not_there_is_an_error(upstream: Upstream, route: Route) -> None:
    with pytest.raises(UpstreamError, match="could not be reached"):
        await ask(upstream, call(replace(route, base_url="http://127.0.0.1:1/v1")))


async def test_a_reset_within_a_stream_raises_after_what_came(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    gate = asyncio.Event()
    provider.reply(Stream([HELLO[0], gate], reset=True))
    async with upstream.open(call(route, stream=True)) as answer:
        chunks = answer.chunks()
        first = await anext(chunks)
        gate.set()
        with pytest.raises(UpstreamError) as caught:
            await anext(chunks)
    assert caught.value.kind == "connection"
    assert text(first) == "he"


async def test_a_stream_that_just_ends_is_truncated(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Stream(HELLO[:2]))
    body = bytearray()
    async with upstream.open(call(route, stream=True)) as answer:
        with pytest.raises(UpstreamError) as caught:
            await read_into(body, answer)
    assert caught.value.kind == "truncated"
    assert text(bytes(body)) == "hello"


async def test_a_stream_with_a_finish_reason_needs_no_done(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Stream(HELLO[:3]))
    assert text(await ask(upstream, call(route, stream=True))) == "hello"


@pytest.mark.parametrize("stream", [False, True])
async def test_silence_before_the_first_byte_times_out(
    upstream: Upstream, route: Route, provider: ScriptedUpstream, stream: bool
) -> None:
    provider.reply(Hang())
    with pytest.raises(UpstreamTimeout, match="first_byte_seconds"):
        await ask(upstream, call(replace(route, timeouts=SHORT), stream=stream))
    await asyncio.wait_for(provider.aborted.wait(), 1)


async def test_headers_alone_are_no_first_byte(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Stream([asyncio.Event()]))
    with pytest.raises(UpstreamTimeout, match="first_byte_seconds"):
        await ask(upstream, call(replace(route, timeouts=SHORT), stream=True))


async def test_silence_within_a_stream_times_out(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Stream([HELLO[0], asyncio.Event()]))
    async with upstream.open(call(replace(route, timeouts=SHORT), stream=True)) as answer:
        with pytest.raises(UpstreamTimeout, match="idle_seconds"):
            await read(answer)
    await asyncio.wait_for(provider.aborted.wait(), 1)


@pytest.mark.parametrize("stream", [False, True])
async def test_cancelling_before_the_headers_aborts_the_call(
    upstream: Upstream, route: Route, provider: ScriptedUpstream, stream: bool
) -> None:
    provider.reply(Hang())
    asking = asyncio.create_task(ask(upstream, call(route, stream=stream)))
    await provider.arrived()
    asking.cancel()
    await asyncio.wait_for(provider.aborted.wait(), 1)
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_cancelling_between_chunks_aborts_the_call(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Stream([HELLO[0], asyncio.Event()]))
    came = asyncio.Event()

    async def follow() -> None:
        async with upstream.open(call(route, stream=True)) as answer:
            async for _ in answer.chunks():
                came.set()

    following = asyncio.create_task(follow())
    await came.wait()
    following.cancel()
    await asyncio.wait_for(provider.aborted.wait(), 1)
    with suppress(asyncio.CancelledError):
        await following


async def test_leaving_the_context_aborts_the_call(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Stream([HELLO[0], asyncio.Event()]))
    async with upstream.open(call(route, stream=True)) as answer:
        await anext(answer.chunks())
    await asyncio.wait_for(provider.aborted.wait(), 1)


async def test_the_operators_key_goes_to_its_host(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    await ask(upstream, call(route, sent={"authorization": "Bearer client", "cookie": "a=b", "x-api-key": "client"}))
    sent = provider.requests[0].headers
    assert sent.getall("authorization") == [f"Bearer {KEY}"]
    assert not {"cookie", "x-api-key"} & set(sent)


async def test_a_route_without_a_key_gets_none_from_the_environment(
    upstream: Upstream, route: Route, provider: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    await ask(upstream, call(replace(route, api_key=None)))
    assert KEY not in str(provider.requests[0].headers)


async def test_the_routes_headers_are_added(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    await ask(upstream, call(replace(route, headers={"X-Team": "7"})))
    assert provider.requests[0].headers["x-team"] == "7"


async def test_what_openai_clients_send_arrives_unchanged(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    messages = [
        {"role": "developer", "content": "be brief", "vendor": 1},
        {
            "role": "user",
            "content": [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}],
            "name": "bo",
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "f", "arguments": "{broken"}}],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "", "custom": None},
    ]
    fields: dict[str, Any] = {
        "messages": messages,
        "user": "u1",
        "metadata": {"session_id": "s"},
        "store": False,
        "prompt_cache_key": "k",
        "vendor_toggle": {"on": True},
        "temperature": 0.25,
        "tools": [{"type": "function", "function": {"name": "f", "strict": True, "parameters": {"type": "object"}}}],
        "tool_choice": "auto",
    }
    await ask(upstream, call(route, **fields))
    received = provider.requests[0].json
    assert {name: received[name] for name in fields} == fields
    assert received["model"] == "m"


SMUGGLED = [
    {"api_base": "{url}"},
    {"base_url": "{url}"},
    {"api_key": "sk-client"},
    {"custom_llm_provider": "anthropic"},
    {"extra_headers": {"x-evil": "1"}},
    {"headers": {"x-evil": "1"}},
    {"extra_body": {"api_base": "{url}"}},
    {"extra_query": {"evil": "1"}},
    {"mock_response": "mocked"},
    {"mock_tool_calls": []},
    {"fallbacks": [{"model": "openai/x", "api_base": "{url}"}]},
    {"context_window_fallback_dict": {"m": "openai/x"}},
    {"model_list": [{"model_name": "m", "litellm_params": {"model": "openai/x", "api_base": "{url}"}}]},
    {"timeout": 0.001},
    {"num_retries": 3},
    {"max_retries": 3},
    {"callbacks": ["{url}"]},
    {"success_callback": ["webhook"]},
    {"metadata": {"fallbacks": [{"api_base": "{url}"}], "callbacks": ["{url}"]}},
    {"litellm_metadata": {"api_base": "{url}"}},
    {"litellm_params": {"api_base": "{url}"}},
    {"litellm_logging_obj": {}},
    {"litellm_credential_name": "other"},
    {"proxy": "{url}"},
    {"shared_session": "x"},
    {"client": "x"},
    {"hf_model_name": "x"},
    {"drop_params": True},
    {"caching": True},
    {"aws_bedrock_runtime_endpoint": "{url}"},
    {"vertex_project": "x"},
    {"azure_ad_token": "x"},
    {"organization": "org"},
    {"deployment_id": "x"},
]


@pytest.mark.parametrize("fields", SMUGGLED, ids=lambda fields: next(iter(fields)))
async def test_no_field_of_a_body_steers_the_call(
    upstream: Upstream, route: Route, provider: ScriptedUpstream, canary: ScriptedUpstream, fields: dict[str, Any]
) -> None:
    smuggled = json.loads(json.dumps(fields).replace("{url}", canary.url))
    provider.reply(error(429))
    async with upstream.open(call(route, **smuggled)) as answer:
        await read(answer)
    assert answer.status == 429
    assert (len(provider.requests), canary.connections) == (1, 0)
    sent = provider.requests[0]
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert (sent.headers.get("x-evil"), sent.headers.get("openai-organization"), dict(sent.query)) == (None, None, {})
    assert {name: sent.json[name] for name in smuggled} == smuggled


async def test_a_refused_call_is_made_again_only_where_the_route_says_so(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(error(429, headers={"retry-after": "0"}), error(503, headers={"retry-after": "0"}))
    async with upstream.open(call(replace(route, retries=2))) as answer:
        await read(answer)
    assert (answer.status, len(provider.requests)) == (200, 3)


async def test_a_call_that_the_client_must_change_is_not_made_again(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(error(400))
    async with upstream.open(call(replace(route, retries=2))) as answer:
        await read(answer)
    assert (answer.status, len(provider.requests)) == (400, 1)


async def test_no_message_names_a_key(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Json(f"not json {KEY}".encode()), Reset(), Json(b"", 302))
    told = []
    for _ in range(3):
        try:
            await ask(upstream, call(route))
        except UpstreamError as failure:
            told.append(str(failure))
    assert told
    assert not any(KEY in each for each in told)
