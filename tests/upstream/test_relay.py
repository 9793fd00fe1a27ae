"""What only the relay does: bytes as they are, every endpoint, connections that turn out to be dead."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from proxy.errors import NotFound, UpstreamError
from proxy.upstream import Route, UpstreamCall
from proxy.upstream.relay import Relay
from tests.scripted_upstream import Json, Recorded, Reset, ScriptedUpstream, Stream, chunk, error, event
from tests.upstream.calls import ask, call, read

ODD_BODY = b'{ "model":"m",\n "messages": [{"role":"user","content":"\\u00e9 \xc3\xa9 1.0e2"}], "x": 1.50 }'


async def test_bytes_go_up_as_they_are(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    await ask(relay, UpstreamCall(relayed, ODD_BODY, {"content-type": "application/json"}, stream=False))
    assert provider.requests[0].body == ODD_BODY


async def test_bytes_come_down_as_they_are(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    odd = b': comment\r\n\r\nevent: x\r\ndata:{"choices": [ ]}\r\n\r\nid: 7\r\ndata: [DONE]\r\n\r\n'
    provider.reply(Stream([odd[:20], odd[20:50], odd[50:]]))
    assert await ask(relay, call(relayed, stream=True)) == odd


async def test_binary_answers_come_down_as_they_are(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    sound = bytes(range(256)) * 1000
    provider.reply(Json(sound, headers={"content-type": "audio/mpeg", "content-disposition": "attachment"}))
    async with relay.open(call(relayed, path="audio/speech")) as answer:
        assert await read(answer) == sound
    assert dict(answer.headers) == {"content-type": "audio/mpeg", "content-disposition": "attachment"}


async def test_a_form_goes_up_with_its_boundary(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    form = b"--b\r\ncontent-disposition: form-data; name=model\r\n\r\nm\r\n--b--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    await ask(relay, UpstreamCall(relayed, form, headers, stream=False, path="audio/transcriptions"))
    sent = provider.requests[0]
    assert (sent.path, sent.headers["content-type"], sent.body) == (
        "/v1/audio/transcriptions",
        "multipart/form-data; boundary=b",
        form,
    )


@pytest.mark.parametrize("path", ["audio/../files", "files?x=1", "audio/%2e%2e/files", "/files", "audio//x", "a#b", ""])
async def test_a_path_that_leads_elsewhere_is_refused(
    relay: Relay, relayed: Route, provider: ScriptedUpstream, path: str
) -> None:
    with pytest.raises(NotFound):
        await ask(relay, call(relayed, path=path))
    assert provider.connections == 0


async def test_the_clients_headers_go_up_and_our_own_stay(
    relay: Relay, relayed: Route, provider: ScriptedUpstream
) -> None:
    await ask(
        relay,
        call(relayed, sent={"User-Agent": "agent/1", "X-Vendor": "é", "X-Context-Mode": "off", "OpenAI-Project": "p"}),
    )
    sent = provider.requests[0].headers
    assert (sent["user-agent"], sent["x-vendor"]) == ("agent/1", "é")
    assert not {"x-context-mode", "openai-project"} & {name.lower() for name in sent}


async def test_the_routes_query_is_added(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    await ask(relay, call(replace(relayed, query={"api-version": "2025-01-01"})))
    assert provider.requests[0].query == {"api-version": "2025-01-01"}


async def test_upstream_is_asked_for_plain_bytes(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    await ask(relay, call(relayed, sent={"Accept-Encoding": "gzip, br"}))
    assert provider.requests[0].headers.getall("accept-encoding") == ["identity"]


async def test_a_connection_is_used_again(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    for stream in (False, True, False):
        await ask(relay, call(relayed, stream=stream))
    assert (len(provider.requests), provider.connections) == (3, 1)


async def test_a_used_connection_that_is_dead_costs_nothing(
    relay: Relay, relayed: Route, provider: ScriptedUpstream
) -> None:
    await ask(relay, call(relayed))
    provider.reply(Reset())
    assert b"good morning" in await ask(relay, call(relayed))
    assert (len(provider.requests), provider.connections) == (3, 2)


async def test_a_call_is_repeated_once_at_most(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    await ask(relay, call(relayed))
    provider.reply(Reset(), Reset())
    with pytest.raises(UpstreamError):
        await ask(relay, call(relayed))
    assert len(provider.requests) == 3


async def test_a_fresh_connection_that_dies_is_no_reason_to_repeat(
    relay: Relay, relayed: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Reset())
    with pytest.raises(UpstreamError):
        await ask(relay, call(relayed))
    assert len(provider.requests) == 1


async def test_an_answer_that_began_is_not_repeated(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    await ask(relay, call(relayed))
    provider.reply(Stream([chunk({"content": "x"})], reset=True))
    with pytest.raises(UpstreamError):
        await ask(relay, call(relayed, stream=True))
    assert len(provider.requests) == 2


async def test_a_whole_body_that_is_cut_off_raises(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Stream([b'{"choices": ['], reset=True, content_type="application/json"))
    with pytest.raises(UpstreamError):
        await ask(relay, call(relayed))


async def test_a_stream_that_ends_with_the_providers_own_error_is_whole(
    relay: Relay, relayed: Route, provider: ScriptedUpstream
) -> None:
    told = event({"error": {"message": "overloaded"}})
    provider.reply(Stream([chunk({"content": "x"}), told]))
    assert (await ask(relay, call(relayed, stream=True))).endswith(told)


async def test_events_of_other_endpoints_need_no_finish_reason(
    relay: Relay, relayed: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Stream([event({"type": "transcript.text.done"})]))
    assert await ask(relay, call(relayed, path="audio/transcriptions", stream=True))


async def test_cookies_of_one_answer_do_not_reach_the_next_call(
    relay: Relay, relayed: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Json({}, headers={"set-cookie": "tenant=a"}))
    for _ in range(2):
        await ask(relay, call(relayed))
    assert "cookie" not in provider.requests[1].headers


async def test_no_key_means_no_authorization(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    await ask(relay, call(replace(relayed, api_key=None), sent={"authorization": "Bearer client"}))
    assert "authorization" not in provider.requests[0].headers


async def test_an_outbound_proxy_of_the_environment_is_used(
    relay: Relay, relayed: Route, provider: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", provider.origin)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    await ask(relay, call(replace(relayed, base_url="http://provider.test/v1")))
    assert provider.requests[0].headers["host"] == "provider.test"


async def test_parallel_calls_do_not_mix(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    def echo(request: Recorded) -> Json:
        return Json({"mark": request.json["mark"]})

    provider.default = echo
    for mark in range(20):
        assert json.loads(await ask(relay, call(relayed, mark=mark)))["mark"] == mark


async def test_retries_give_up_with_the_last_answer(relay: Relay, relayed: Route, provider: ScriptedUpstream) -> None:
    provider.reply(*[error(503, headers={"retry-after": "0"})] * 2)
    async with relay.open(call(replace(relayed, retries=1))) as answer:
        await read(answer)
    assert (answer.status, len(provider.requests)) == (503, 2)
