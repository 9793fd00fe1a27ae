"""A talk that outgrows its window, summarised over real HTTP, with real stores, and with everything that can fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from pydantic import SecretStr

from proxy.app import Running, running
from proxy.demo.structure import violations
from proxy.http import keys
from proxy.settings import (
    ArtifactsSettings,
    AuthSettings,
    LoggingSettings,
    ModelSettings,
    PoliciesSettings,
    PriceSettings,
    ServerSettings,
    Settings,
    StateSettings,
)
from proxy.state.embedded import EmbeddedValkey
from tests.scripted_upstream import Hang, Json, Recorded, Reply, ScriptedUpstream, chat_completion, completion, error

WINDOW = 6_000
SUMMARY = "They agreed on crane 7 and turned down crane 9."
POLICY = """extends: default
keep_last_turns: 2
history: {then: summarise, cost_rule: {enabled: false}}
summarise: {model: small, timeout_seconds: TIMEOUT}
"""


def settings(upstream: str, folder: Path, store: str = "embedded", timeout: float = 5) -> Settings:
    """Two models of one provider: the agents', and a small one that summarises."""
    policies = folder / "policies"
    policies.mkdir(exist_ok=True)
    (policies / "brief.yaml").write_text(POLICY.replace("TIMEOUT", str(timeout)))
    return Settings(
        secret=SecretStr("one secret for all workers"),
        server=ServerSettings(port=0, admin_port=0, shutdown_grace_seconds=1),
        auth=AuthSettings(mode="none"),
        models=tuple(_model(name, window, upstream) for name, window in (("agent", WINDOW), ("small", 32_000))),
        policies=PoliciesSettings(directory=policies),
        state=StateSettings(url=SecretStr(store), directory=folder / "state", timeout_ms=2_000),
        artifacts=ArtifactsSettings(url=str(folder / "artifacts")),
        logging=LoggingSettings(level="warning", format="text"),
    )


def _model(name: str, window: int, upstream: str) -> ModelSettings:
    return ModelSettings(
        name=name,
        upstream=f"openai/{name}",
        api_base=upstream,
        api_key=SecretStr("k"),
        transport="relay",
        window=window,
        window_includes_output=True,
        prices=PriceSettings(input=1, output=5, cache_read=0.1),
        policy="brief",
    )


class Provider(ScriptedUpstream):
    """Answers agents; what it answers as the summariser can be changed."""

    def __init__(self) -> None:
        super().__init__()
        self.summary: Reply = Json(
            completion({"content": SUMMARY}, usage={"prompt_tokens": 900, "completion_tokens": 12})
        )
        self.default = self._either

    def _either(self, request: Recorded) -> Reply:
        return self.summary if request.json["model"] == "small" else chat_completion(request)

    def calls(self, model: str) -> list[Any]:
        return [request.json for request in self.requests if request.json["model"] == model]


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    async with Provider() as server:
        yield server


def talk(turns: int) -> list[dict[str, Any]]:
    """What a client sends after so many answers: about 320 tokens a turn."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Plan the cranes."}]
    for turn in range(turns):
        messages.append({"role": "assistant", "content": f"Proposal {turn}. " + "The crane can take it. " * 30})
        messages.append({"role": "user", "content": f"Question {turn}: " + "what about the tide there? " * 20})
    return messages


class Agent:
    """A client that says one turn after the other; every answer must be a 200 of sound structure and size."""

    def __init__(self, client: ClientSession, provider: Provider) -> None:
        self._client = client
        self._provider = provider

    async def ask(self, turns: int) -> Any:
        """The headers of one request."""
        body = {"model": "agent", "messages": talk(turns), "max_tokens": 300}
        async with self._client.post("/v1/chat/completions", json=body) as answer:
            assert answer.status == 200, await answer.text()
            await answer.read()
            sent = self._provider.calls("agent")[-1]
            assert violations(sent) == ()
            assert sent["messages"][-1] == body["messages"][-1]
            assert int(answer.headers["x-context-forwarded-tokens"]) + 300 <= WINDOW
            return answer.headers

    async def go(self, first: int, last: int) -> list[Any]:
        return [await self.ask(turns) for turns in range(first, last)]


@asynccontextmanager
async def agent(of: Settings, provider: Provider) -> AsyncIterator[tuple[Agent, Running]]:
    async with running(of) as proxy, ClientSession(proxy.url) as client:
        yield Agent(client, provider), proxy


def told(body: Any) -> str:
    return json.dumps(body["messages"])


async def written(proxy: Running) -> None:
    """Wait until no summary is under way."""
    await asyncio.gather(*proxy.app[keys.EDITOR].desk._running.values())


async def test_a_summary_is_written_ahead_and_takes_the_place_of_the_oldest_turns(
    provider: Provider, tmp_path: Path
) -> None:
    async with agent(settings(provider.url, tmp_path), provider) as (one, proxy):
        seen = []
        for turns in range(40):
            seen.append(await one.ask(turns))
            await written(proxy)
    states = [headers["x-context-summary"] for headers in seen]
    assert states[0] == "none"
    assert "pending" in states
    assert states[-1] in ("used", "pending")
    assert "failed" not in states
    last = provider.calls("agent")[-1]
    assert SUMMARY in told(last)
    assert '"role": "system"' not in told(last)
    assert int(seen[-1]["x-context-compacted-turns"]) > 10
    assert len(provider.calls("small")) == int(seen[-1]["x-context-batches"]) + (states[-1] == "pending")


async def test_a_later_summary_goes_on_from_the_one_before(provider: Provider, tmp_path: Path) -> None:
    async with agent(settings(provider.url, tmp_path), provider) as (one, _):
        await one.go(0, 40)
    first, second, *_ = provider.calls("small")
    assert SUMMARY not in told(first)
    assert SUMMARY in told(second)
    assert "Forebay" not in told(second)  # never a summary of a notice


async def test_facts_and_wishes_stand_beside_the_text(provider: Provider, tmp_path: Path) -> None:
    async with agent(settings(provider.url, tmp_path), provider) as (one, _):
        await one.go(0, 25)
    assert "The user said:" in told(provider.calls("agent")[-1])


async def test_what_it_cost_is_in_the_metrics(provider: Provider, tmp_path: Path) -> None:
    async with agent(settings(provider.url, tmp_path), provider) as (one, proxy), ClientSession() as admin:
        await one.go(0, 25)
        await written(proxy)
        async with admin.get(f"{proxy.admin_url}/metrics") as scraped:
            text = await scraped.text()
    made = len(provider.calls("small"))
    assert f'forebay_summaries_total{{result="recorded"}} {made}.0' in text
    assert f'forebay_input_tokens_total{{kind="billed",model="small",tenant="local"}} {900.0 * made}' in text
    assert 'by="summary"' in text


async def test_a_restart_and_another_worker_forward_the_same_bytes(provider: Provider, tmp_path: Path) -> None:
    store = EmbeddedValkey(tmp_path / "shared")
    store.start()
    try:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
        async with agent(settings(provider.url, tmp_path / "a", store.url), provider) as (one, _):
            await one.go(0, 30)
            warm = provider.calls("agent")[-1]
        made = len(provider.calls("small"))
        async with agent(settings(provider.url, tmp_path / "b", store.url), provider) as (other, _):
            await other.ask(29)
        assert provider.calls("agent")[-1] == warm
        assert len(provider.calls("small")) <= made + 1  # what it may begin is the next segment's
    finally:
        store.stop()


async def test_two_workers_at_once_make_one_call_for_each_segment(provider: Provider, tmp_path: Path) -> None:
    store = EmbeddedValkey(tmp_path / "shared")
    store.start()
    try:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
        first, second = (settings(provider.url, tmp_path / name, store.url) for name in ("a", "b"))
        async with agent(first, provider) as (one, a), agent(second, provider) as (other, b):
            for turns in range(30):
                await asyncio.gather(one.ask(turns), other.ask(turns), one.ask(turns))
                await asyncio.gather(written(a), written(b))
        asked = [told(body) for body in provider.calls("small")]
        assert len(asked) == len(set(asked)) > 1
    finally:
        store.stop()


@pytest.mark.parametrize(
    "reply",
    [error(500), error(429), Json(completion({"content": ""})), Json(completion({"content": "cut"}, "length"))],
    ids=["down", "busy", "empty", "cut off"],
)
async def test_a_bad_summariser_drops_with_a_notice(reply: Reply, provider: Provider, tmp_path: Path) -> None:
    provider.summary = reply
    async with agent(settings(provider.url, tmp_path), provider) as (one, _):
        seen = await one.go(0, 30)
    assert "were dropped here" in told(provider.calls("agent")[-1])
    given_up = [headers for headers in seen if "summary" in headers.get("x-context-degraded", "")]
    assert given_up
    assert all(headers["x-context-summary"] == "failed" for headers in given_up)


async def test_a_hanging_summariser_costs_its_timeout_once_for_each_segment(provider: Provider, tmp_path: Path) -> None:
    provider.summary = Hang()
    async with agent(settings(provider.url, tmp_path, timeout=0.2), provider) as (one, _):
        seen = await one.go(0, 30)
    assert "were dropped here" in told(provider.calls("agent")[-1])
    assert len(provider.calls("small")) <= int(seen[-1]["x-context-batches"]) + 1


@pytest.mark.parametrize("at", [0, 8, 12, 16, 22], ids=lambda at: f"before request {at}")
async def test_a_store_that_is_killed_at_any_time_costs_no_request(at: int, provider: Provider, tmp_path: Path) -> None:
    store = EmbeddedValkey(tmp_path / "shared")
    store.start()
    stopped = False
    try:
        async with agent(settings(provider.url, tmp_path, store.url), provider) as (one, _):
            for turns in range(30):
                if turns == at:
                    store.stop()
                    stopped = True
                await one.ask(turns)
    finally:
        if not stopped:
            store.stop()
    last = told(provider.calls("agent")[-1])
    assert "were dropped here" in last or SUMMARY in last


async def test_a_worker_that_dies_in_mid_summary_loses_nothing_in_silence(provider: Provider, tmp_path: Path) -> None:
    store = EmbeddedValkey(tmp_path / "shared")
    store.start()
    try:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
        provider.summary = Hang()
        async with agent(settings(provider.url, tmp_path / "a", store.url, timeout=0.2), provider) as (one, proxy):
            turns = 0
            while not provider.calls("small"):
                await one.ask(turns)
                turns += 1
            proxy.app[keys.EDITOR].desk._background._tasks.clear()  # as a kill would: the lease stays behind
        provider.summary = Json(completion({"content": SUMMARY}))
        async with agent(settings(provider.url, tmp_path / "b", store.url, timeout=0.2), provider) as (other, _):
            await other.go(turns, turns + 15)
        last = told(provider.calls("agent")[-1])
        assert "were dropped here" in last or SUMMARY in last
    finally:
        store.stop()


async def test_the_plan_endpoint_asks_no_summariser(provider: Provider, tmp_path: Path) -> None:
    async with agent(settings(provider.url, tmp_path), provider) as (one, _):
        body = {"model": "agent", "messages": talk(30)}
        async with one._client.post("/v1/context/plan", json=body) as answer:
            assert answer.status == 200
            assert (await answer.json())["compacted_turns"] > 0
    assert provider.requests == []


async def test_a_request_that_can_never_fit_is_refused_before_any_summary(provider: Provider, tmp_path: Path) -> None:
    async with agent(settings(provider.url, tmp_path), provider) as (one, _):
        messages = [{"role": "user", "content": "the whole book " * 4_000}, *talk(20)[1:]]
        async with one._client.post("/v1/chat/completions", json={"model": "agent", "messages": messages}) as answer:
            assert answer.status == 400
            assert (await answer.json())["error"]["code"] == "context_length_exceeded"
    assert provider.requests == []


async def test_the_summariser_may_be_the_agents_own_model(provider: Provider, tmp_path: Path) -> None:
    of = settings(provider.url, tmp_path)
    (tmp_path / "policies" / "brief.yaml").write_text(POLICY.replace("model: small, ", "").replace("TIMEOUT", "5"))
    async with agent(of, provider) as (one, _):
        body = {"model": "agent", "messages": talk(30), "max_tokens": 300}
        async with one._client.post("/v1/chat/completions", json=body) as answer:
            assert answer.status == 200
    assert any("<record " in told(sent) for sent in provider.calls("agent"))


async def test_a_cold_history_waits_for_its_last_segment_only(provider: Provider, tmp_path: Path) -> None:
    async with agent(settings(provider.url, tmp_path), provider) as (one, _):
        headers = await one.ask(60)
    assert len(provider.calls("small")) <= 2
    assert int(headers["x-context-compacted-turns"]) > 40
