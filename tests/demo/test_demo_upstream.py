"""The scripted upstream over HTTP, without a proxy between."""

import json

import pytest
from aiohttp import ClientSession

from proxy.demo.client import play
from proxy.demo.prompt_cache import PromptCounter
from proxy.demo.session import requests
from proxy.demo.upstream import HEADER, Expected, ScriptedUpstream
from tests.demo.demo_builders import a_body, a_session, passing_proxy, result, system, user, words

ANSWER = {"role": "assistant", "content": "fine"}


@pytest.fixture
async def http():
    async with ClientSession() as session:
        yield session


@pytest.fixture
async def upstream():
    return ScriptedUpstream(PromptCounter(words))


@pytest.fixture
async def url(upstream):
    async with upstream.serve() as base_url:
        yield base_url


async def post(http, url, body, name=None):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {HEADER: name} if name else {}
    async with http.post(f"{url}/chat/completions", data=data, headers=headers) as response:
        return response.status, await response.text()


async def test_a_session_played_straight_is_sound_and_identical(http, upstream, url):
    exchanges = [exchange async for exchange in play(a_session(), "m", url, upstream, http)]
    assert [exchange.fault for exchange in exchanges] == [None, None, None]
    assert all(seen.identical and not seen.faults for seen in upstream.seen.values())


async def test_usage_counts_the_prompt_and_what_was_cached(http, upstream, url):
    exchanges = [exchange async for exchange in play(a_session(5), "m", url, upstream, http)]
    prompts = [exchange.usage["prompt_tokens"] for exchange in exchanges]
    cached = [exchange.usage["prompt_tokens_details"]["cached_tokens"] for exchange in exchanges]
    assert prompts == sorted(prompts)
    assert cached == [0, 0, 0, *(tokens - tokens % 128 for tokens in prompts[2:4])]


async def test_an_unsound_request_is_answered_with_400(http, upstream, url):
    status, text = await post(http, url, a_body(user("go"), result("a")))
    assert status == 400
    assert "orphan" in json.loads(text)["error"]["message"]


async def test_a_body_that_is_no_json_is_answered_with_400(http, url):
    assert (await post(http, url, b"{"))[0] == 400


async def test_a_body_that_is_no_object_is_answered_with_400(http, url):
    assert (await post(http, url, b"[]"))[0] == 400


async def test_a_reworded_user_message_is_answered_with_400(http, upstream, url):
    upstream.expect("r/1", Expected(json.dumps(a_body(system(), user("go"))).encode(), ANSWER))
    status, _ = await post(http, url, a_body(system(), user("stop")), "r/1")
    assert status == 400
    assert upstream.seen["r/1"].faults == ("the last user message is not the one that the client sent",)


async def test_a_request_that_nobody_announced_is_answered_with_400(http, url):
    status, text = await post(http, url, a_body(user("go")), "r/9")
    assert status == 400
    assert "which no client announced" in text


async def test_other_bytes_of_the_same_meaning_are_valid_but_not_identical(http, upstream, url):
    body = a_body(system(), user("go"))
    upstream.expect("r/1", Expected(json.dumps(body).encode(), ANSWER))
    status, _ = await post(http, url, json.dumps(body, indent=1).encode(), "r/1")
    assert (status, upstream.seen["r/1"].identical) == (200, False)


async def test_an_agent_without_the_header_is_told_what_was_counted(http, url):
    status, text = await post(http, url, a_body(user("go on")))
    assert status == 200
    assert "received 1 messages with 6 tokens" in json.loads(text)["choices"][0]["message"]["content"]


async def test_a_quoted_line_is_looked_for_in_what_was_forwarded(http, upstream, url):
    body = a_body(user('E "boom" at line 3'))
    upstream.expect("r/1", Expected(json.dumps(body).encode(), ANSWER, ('"boom" at', "gone")))
    await post(http, url, body, "r/1")
    assert upstream.seen["r/1"].quotes_held == ('"boom" at',)


async def test_every_other_request_is_streamed():
    bodies = []

    def note(body):
        bodies.append(body.get("stream", False))
        return body

    upstream = ScriptedUpstream(PromptCounter(words))
    async with upstream.serve() as url, passing_proxy(url, note) as base_url, ClientSession() as http:
        assert [e.fault async for e in play(a_session(4), "m", base_url, upstream, http)] == [None] * 4
    assert bodies == [False, True, False, True]


async def test_an_answer_that_is_not_the_scripts_is_a_fault(http):
    other = ScriptedUpstream(PromptCounter(words))
    session = a_session()
    async with other.serve() as url:
        real = other.expect
        other.expect = lambda name, expected: real(name, Expected(expected.sent, ANSWER))
        faults = [exchange.fault async for exchange in play(session, "m", url, other, http)]
    assert faults == ["the answer is not the one that the upstream gave"] * len(list(requests(session)))
