"""Limits of a tenant through a whole proxy: 429 with the truth about when, and nothing lost by what fails."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from openai import OpenAI, RateLimitError

from proxy.app import Running, running
from proxy.http import keys
from proxy.http.limits import charge
from proxy.keys import hash_key
from proxy.settings import LimitSettings, TenantSettings
from proxy.state.embedded import EmbeddedValkey
from proxy.upstream import Usage
from tests.end_to_end.house import Answer, ask, chat, settled
from tests.faults import bench
from tests.scripted_upstream import (
    DONE,
    Hang,
    Json,
    Reset,
    ScriptedUpstream,
    Stream,
    chunk,
    completion,
    error,
    usage_chunk,
)

KEY, OTHER_KEY = "fb-of-team-a", "fb-of-team-b"
NOW = 1_800_057_615.0
"""A quarter of a minute after midnight."""


@dataclass
class Limited:
    """A proxy with a tenant under limits, team-a, and one without, team-b."""

    proxy: Running
    provider: ScriptedUpstream
    http: ClientSession
    time: float = NOW

    async def ask(self, text: str = "good morning", key: str = KEY, **more: Any) -> Answer:
        headers = {"authorization": f"Bearer {key}", **more.pop("headers", {})}
        return await ask(self.http, chat("m", {"role": "user", "content": text}, **more), headers=headers)

    async def rejections(self, limit: str) -> float:
        async with self.http.get(f"{self.proxy.admin_url}/metrics") as page:
            pattern = rf'forebay_quota_rejections_total{{limit="{limit}",tenant="team-a"}} (\S+)'
            found = re.search(pattern, await page.text())
        return float(found[1]) if found else 0.0


Start = Callable[..., AbstractAsyncContextManager[Limited]]


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Any:
    server = EmbeddedValkey(tmp_path_factory.mktemp("state"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def start(tmp_path: Path, valkey: EmbeddedValkey) -> Start:
    @asynccontextmanager
    async def started(state_url: str = valkey.url, **limits: Any) -> AsyncIterator[Limited]:
        team_a = TenantSettings(name="team-a", key_hashes=(hash_key(KEY),), limits=LimitSettings(**limits))
        team_b = TenantSettings(name="team-b", key_hashes=(hash_key(OTHER_KEY),))
        async with ScriptedUpstream() as provider:
            plain = bench.settings(tmp_path, bench.model(provider.url), state_url=state_url)
            auth = plain.auth.model_copy(update={"mode": "keys"})
            settings = plain.model_copy(update={"auth": auth, "tenants": (team_a, team_b)})
            async with running(settings) as proxy, ClientSession(proxy.url) as http:
                if state_url == valkey.url:
                    await proxy.app[keys.STATE].run("flush", lambda client: client.flushall())
                limited = Limited(proxy, provider, http)
                proxy.app[keys.QUOTAS]._now = lambda: limited.time
                yield limited

    return started


def billed(tokens_in: int, tokens_out: int = 0) -> Json:
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    return Json(completion({"content": "hello"}, usage=usage))


async def used(limited: Limited, *replies: Any) -> list[Answer]:
    """What answers say while these replies are settled one by one."""
    limited.provider.reply(*replies)
    answers = []
    for _ in replies:
        answers.append(await limited.ask())
        await settled(limited.proxy)
    return answers


async def test_a_full_minute_is_429_and_says_what_and_until_when(start: Start):
    async with start(tokens_per_minute=1_000) as limited:
        (answer,) = await used(limited, billed(900, 100))
        assert answer.status == 200
        refused = await limited.ask()
        assert (refused.status, refused.error["code"]) == (429, "rate_limit_exceeded")
        assert refused.headers["retry-after"] == "45"
        told = "limit tokens_per_minute of tenant 'team-a' is 1,000 tokens, of which 1,000 are used; this request needs"
        assert refused.error["message"].startswith(told)
        assert re.search(r"; it frees at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ, in 45 s$", refused.error["message"])
        assert await limited.rejections("tokens_per_minute") == 1
        assert len(limited.provider.requests) == 1


async def test_after_the_time_that_was_told_a_new_try_succeeds(start: Start):
    async with start(tokens_per_minute=1_000) as limited:
        await used(limited, billed(1_000))
        refused = await limited.ask()
        limited.time += int(refused.headers["retry-after"]) - 1
        assert (await limited.ask()).status == 429
        limited.time += 1
        assert (await limited.ask()).status == 200


async def test_a_full_day_beside_a_full_minute_tells_of_the_day(start: Start):
    async with start(tokens_per_minute=1_000, tokens_per_day=1_000) as limited:
        await used(limited, billed(1_000))
        refused = await limited.ask()
        assert refused.headers["retry-after"] == str(86_400 - 15)
        assert await limited.rejections("tokens_per_day") == 1


async def test_a_full_session_does_not_stop_another(start: Start):
    async with start(tokens_per_session=1_000) as limited:
        await used(limited, billed(1_000))
        refused = await limited.ask()
        assert refused.status == 429
        assert "start a new session" in refused.error["message"]
        assert (await limited.ask(headers={"x-context-session": "another"})).status == 200


async def test_a_full_tenant_does_not_stop_another(start: Start):
    async with start(tokens_per_minute=1_000) as limited:
        await used(limited, billed(1_000))
        assert (await limited.ask()).status == 429
        assert (await limited.ask(key=OTHER_KEY)).status == 200


async def test_a_request_over_the_whole_limit_is_told_that_waiting_does_not_help(start: Start):
    async with start(tokens_per_minute=100) as limited:
        refused = await limited.ask("word " * 500)
        assert refused.status == 429
        assert "more than the whole limit: make it smaller" in refused.error["message"]


@pytest.mark.parametrize("failure", [error(500), error(429), Reset()], ids=["500", "429", "reset"])
async def test_what_failed_upstream_costs_nothing(start: Start, failure: Any):
    async with start(tokens_per_minute=60) as limited:
        text = "word " * 40
        for _ in range(4):
            limited.provider.reply(failure, failure)
            assert (await limited.ask(text)).status in (429, 500, 502)
            limited.provider._replies.clear()
            await settled(limited.proxy)
        assert await limited.rejections("tokens_per_minute") == 0
        assert (await limited.ask(text)).status == 200


async def test_a_client_that_leaves_before_the_answer_gets_its_tokens_back(start: Start):
    async with start(tokens_per_minute=60) as limited:
        limited.provider.reply(Hang())
        leaving = asyncio.create_task(limited.ask("word " * 40))
        await limited.provider.arrived()
        assert (await limited.ask("word " * 40)).status == 429, "what is under way counts"
        leaving.cancel()
        await limited.provider.aborted.wait()
        await bench.until(lambda: not limited.proxy.app[keys.BACKGROUND]._tasks, "settled")
        assert (await limited.ask("word " * 40)).status == 200


async def test_a_client_that_leaves_within_a_stream_has_used_its_input(start: Start):
    async with start(tokens_per_minute=60) as limited:
        limited.provider.reply(Stream([chunk({"content": "so"}), asyncio.Event()]))
        body = json.dumps(chat("m", {"role": "user", "content": "word " * 40}, stream=True)).encode()
        headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
        async with limited.http.post("/v1/chat/completions", data=body, headers=headers) as response:
            await response.content.readany()
        await limited.provider.aborted.wait()
        await settled(limited.proxy)
        assert (await limited.ask("word " * 40)).status == 429


async def test_a_stream_without_usage_is_counted_as_it_was_estimated(start: Start):
    async with start(tokens_per_minute=60) as limited:
        await used(limited, Stream([chunk({"content": "so"}), chunk({}, "stop"), DONE]))
        assert (await limited.ask("word " * 40)).status == 200
        assert (await limited.ask("word " * 40)).status == 429


async def test_a_stream_with_usage_is_counted_as_it_was_billed(start: Start):
    usage = {"prompt_tokens": 30, "completion_tokens": 30, "total_tokens": 60}
    async with start(tokens_per_minute=60) as limited:
        await used(limited, Stream([chunk({"content": "so"}), chunk({}, "stop"), usage_chunk(usage), DONE]))
        assert (await limited.ask()).status == 429


async def test_parallel_requests_do_not_overshoot_by_their_input(start: Start):
    async with start(tokens_per_minute=500) as limited:
        limited.provider.default = lambda _request: billed(50)
        answers = await asyncio.gather(*(limited.ask("word " * 40) for _ in range(40)))
        passed = [answer.status for answer in answers].count(200)
        await settled(limited.proxy)
        assert 1 <= passed * 45 <= 500
        assert len(limited.provider.requests) == passed
        assert {answer.status for answer in answers} == {200, 429}


async def test_a_refused_request_leaves_no_session(start: Start):
    async with start(tokens_per_minute=10) as limited:
        refused = await limited.ask("word " * 40)
        await settled(limited.proxy)
        assert refused.status == 429
        async with limited.http.get("/v1/context/sessions", headers={"authorization": f"Bearer {KEY}"}) as told:
            assert (await told.json())["data"] == []


async def test_one_request_too_many_at_once_is_refused_before_its_body_is_read(start: Start):
    async with start(requests_in_flight=1) as limited:
        limited.provider.reply(Hang())
        first = asyncio.create_task(limited.ask())
        await limited.provider.arrived()

        async def endless() -> AsyncIterator[bytes]:
            yield b"{"
            await asyncio.Event().wait()

        headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
        async with limited.http.post("/v1/chat/completions", data=endless(), headers=headers) as refused:
            body = await refused.json()
        assert (refused.status, refused.headers["retry-after"]) == (429, "1")
        assert "limit requests_in_flight of tenant 'team-a': 1 requests" in body["error"]["message"]
        assert await limited.rejections("requests_in_flight") == 1
        assert (await limited.ask(key=OTHER_KEY)).status == 200
        first.cancel()
        await limited.provider.aborted.wait()
        assert (await limited.ask()).status == 200


async def test_embeddings_count_towards_both_kinds_of_limits(start: Start):
    async with start(requests_in_flight=1, tokens_per_minute=100) as limited:
        usage = {"prompt_tokens": 100, "total_tokens": 100}
        limited.provider.reply(Json({"object": "list", "data": [], "usage": usage}))
        headers = {"authorization": f"Bearer {KEY}"}
        body = {"model": "m", "input": "x"}
        assert (await ask(limited.http, body, "/v1/embeddings", headers)).status == 200
        await settled(limited.proxy)
        refused = await ask(limited.http, body, "/v1/embeddings", headers)
        assert (refused.status, refused.headers["retry-after"]) == (429, "45")
        assert "; nothing is left; it frees at" in refused.error["message"]
        assert (await limited.ask()).status == 429


async def test_what_the_proxy_itself_asks_for_a_tenant_counts_too(start: Start):
    async with start(tokens_per_minute=1_000) as limited:
        charge(limited.proxy.app, "team-a", Usage(900, 100))
        charge(limited.proxy.app, "team-b", Usage(900, 100))
        await settled(limited.proxy)
        assert (await limited.ask()).status == 429
        assert (await limited.ask(key=OTHER_KEY)).status == 200


async def test_without_the_store_an_open_limit_lets_pass_and_says_so(start: Start):
    async with start(bench.NO_STORE, tokens_per_minute=1) as limited:
        answer = await limited.ask()
        assert (answer.status, answer.headers["x-context-degraded"]) == (200, "state")


async def test_without_the_store_a_closed_limit_lets_nothing_pass_and_says_why(start: Start):
    async with start(bench.NO_STORE, tokens_per_minute=1_000, on_store_failure="closed") as limited:
        refused = await limited.ask()
        assert (refused.status, refused.error["code"]) == (503, "overloaded")
        assert "limits.on_store_failure: closed" in refused.error["message"]
        assert "127.0.0.1" not in refused.error["message"]
        assert limited.provider.requests == []
        assert (await limited.ask(key=OTHER_KEY)).status == 200


async def test_without_a_token_limit_no_request_asks_the_store_for_one(start: Start):
    async with start(requests_in_flight=5) as limited:
        assert (await limited.ask()).status == 200
        await settled(limited.proxy)
        async with limited.http.get(f"{limited.proxy.admin_url}/metrics") as page:
            assert "quota_reserve" not in await page.text()


async def test_openais_client_knows_the_refusal(start: Start):
    async with start(tokens_per_minute=1_000) as limited:
        await used(limited, billed(1_000))

        def call() -> None:
            with OpenAI(base_url=f"{limited.proxy.url}/v1", api_key=KEY, max_retries=0) as client:
                client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])

        with pytest.raises(RateLimitError) as caught:
            await asyncio.to_thread(call)
        assert caught.value.code == "rate_limit_exceeded"
        assert caught.value.response.headers["retry-after"] == "45"


async def test_two_proxies_share_what_is_used(start: Start, tmp_path: Path, valkey: EmbeddedValkey):
    async with start(tokens_per_minute=1_000) as one:
        settings = one.proxy.app[keys.SETTINGS]
        async with running(settings) as second, ClientSession(second.url) as http:
            other = Limited(second, one.provider, http)
            second.app[keys.QUOTAS]._now = lambda: one.time
            await used(one, billed(1_000))
            assert (await other.ask()).status == 429
