"""Clients with keys of their own: theirs goes upstream and nowhere else, and a stranger leaves no trace."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.app import Running, running
from proxy.http import keys
from proxy.keys import hash_key
from proxy.settings import LimitSettings, PoliciesSettings, Settings, TenantSettings
from proxy.state.embedded import EmbeddedValkey
from tests.end_to_end.house import Answer, ask, chat, settled
from tests.faults import bench
from tests.scripted_upstream import Json, Recorded, ScriptedUpstream, error

OPERATORS_KEY = "key"
CANARY, OTHER = "sk-canary-0123456789-abcdef", "sk-other-0123456789-abcdef"
REFUSED = error(401, {"error": {"message": f"Incorrect API key: {CANARY}", "code": "invalid_api_key"}})
BODIES = bench.session()
EDITED = BODIES[-1]
"""A request whose history is edited, so that there is something to keep."""


@dataclass
class House:
    """A proxy in passthrough mode, its provider, the folder of its originals."""

    proxy: Running
    provider: ScriptedUpstream
    http: ClientSession
    folder: Path

    async def ask(self, body: Any = None, key: str = CANARY, **headers: str) -> Answer:
        sent = chat("m") if body is None else body
        answer = await ask(self.http, sent, headers={"authorization": f"Bearer {key}", **headers})
        await settled(self.proxy)
        return answer

    async def look(self, path: str, key: str = CANARY) -> Any:
        async with self.http.get(path, headers={"authorization": f"Bearer {key}"}) as answer:
            return await answer.json()

    async def stored(self) -> list[bytes]:
        """Every key in the state store but the one that probes write."""
        found: list[bytes] = await self.proxy.app[keys.STATE].run("keys", lambda client: client.keys("*"))
        return [key for key in found if key != b"forebay:ping"]

    @property
    def originals(self) -> list[Path]:
        return [path for path in self.folder.rglob("*") if path.is_file()]

    async def metrics(self) -> str:
        async with self.http.get(f"{self.proxy.admin_url}/metrics") as page:
            return await page.text()


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    server = EmbeddedValkey(tmp_path_factory.mktemp("state"))
    server.start()
    yield server
    server.stop()


def settings(folder: Path, provider: ScriptedUpstream, state_url: str, **changes: Any) -> Settings:
    models = (bench.model(provider.url), bench.model(provider.url, "through-sdk", transport="litellm"))
    plain = bench.settings(folder, *models, state_url=state_url)
    auth = plain.auth.model_copy(update={"mode": "passthrough"})
    return plain.model_copy(update={"auth": auth, **changes})


@asynccontextmanager
async def opened(folder: Path, valkey: EmbeddedValkey, **changes: Any) -> AsyncIterator[House]:
    async with (
        ScriptedUpstream() as provider,
        running(settings(folder, provider, valkey.url, **changes)) as proxy,
        ClientSession(proxy.url) as http,
    ):
        await proxy.app[keys.STATE].run("flush", lambda client: client.flushall())
        yield House(proxy, provider, http, folder / "artifacts")


@pytest.fixture
async def house(tmp_path: Path, valkey: EmbeddedValkey) -> AsyncIterator[House]:
    async with opened(tmp_path, valkey) as made:
        yield made


@pytest.mark.parametrize("model", ["m", "through-sdk"])
async def test_the_clients_key_goes_upstream_and_the_operators_does_not(house: House, model: str):
    assert (await house.ask(chat(model))).status == 200
    (request,) = house.provider.requests
    assert request.headers["authorization"] == f"Bearer {CANARY}"
    assert OPERATORS_KEY not in [value.removeprefix("Bearer ") for value in request.headers.values()]


async def test_a_relayed_endpoint_carries_the_clients_key_too(house: House):
    headers = {"authorization": f"Bearer {CANARY}"}
    await ask(house.http, {"model": "m", "input": "x"}, "/v1/embeddings", headers)
    (request,) = house.provider.requests
    assert request.headers["authorization"] == f"Bearer {CANARY}"


async def test_without_a_key_nobody_is_served(house: House):
    answer = await ask(house.http, chat("m"))
    assert (answer.status, answer.error["code"]) == (401, "invalid_api_key")
    assert house.provider.requests == []


async def test_models_are_the_configured_ones(house: House):
    answer = await house.ask(chat("https://evil.example/v1"))
    assert answer.status == 404


async def test_metrics_count_them_under_one_label(house: House):
    await house.ask()
    await house.ask(EDITED, key=OTHER)
    page = await house.metrics()
    assert 'forebay_requests_total{model="m",status="200",tenant="passthrough"} 2.0' in page
    assert set(re.findall(r'tenant="([^"]+)"', page)) == {"passthrough"}


async def test_a_stranger_whose_key_is_refused_leaves_nothing(house: House):
    house.provider.default = lambda _: REFUSED
    answer = await house.ask(EDITED, **{"x-context-isolate": "1", "x-context-parent": "p"})
    assert answer.status == 401
    assert (await house.stored(), house.originals) == ([], [])
    assert (await house.look("/v1/context/sessions"))["data"] == []


async def test_the_first_success_keeps_what_waited(house: House):
    answer = await house.ask(EDITED)
    assert answer.status == 200
    (session,) = (await house.look("/v1/context/sessions"))["data"]
    assert session["session"] == answer.headers["x-context-session"]
    (locator, *_) = bench.locators([house.provider.requests[0].body])
    assert (await house.look(f"/v1/context/artifacts/{locator}"))["locator"] == locator


async def test_what_a_stranger_is_forwarded_is_what_a_known_client_is(house: House):
    await house.ask(EDITED)
    await house.ask(EDITED)
    first, second = (request.body for request in house.provider.requests)
    assert first == second


async def test_a_key_that_was_withdrawn_is_a_strangers_again(house: House):
    await house.ask()
    kept = len(await house.stored())
    house.provider.default = lambda _: REFUSED
    await house.ask()
    await house.ask(EDITED)
    assert (len(await house.stored()), house.originals) == (kept, [])


async def test_two_keys_are_two_tenants(house: House):
    await house.ask(EDITED)
    assert (await house.look("/v1/context/sessions", key=OTHER))["data"] == []
    (locator, *_) = bench.locators([house.provider.requests[0].body])
    assert "error" in await house.look(f"/v1/context/artifacts/{locator}", key=OTHER)


async def test_the_key_is_told_and_stored_nowhere(house: House, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.WARNING)
    caplog.set_level(logging.DEBUG, logger="proxy")
    answers = [await house.ask(EDITED)]
    for reply in (
        REFUSED,
        error(500, {"error": CANARY}, headers={"x-request-id": CANARY}),
        Json(b"{" + CANARY.encode()),
    ):
        for model in ("m", "through-sdk"):
            house.provider.default = lambda _, reply=reply: reply  # type: ignore[misc]
            answers.append(await house.ask({**json.loads(EDITED), "model": model}))
    answers.append(await house.ask(b"{" + CANARY.encode()))
    told = [str(answer.headers) + answer.body.decode() for answer in answers if answer.status != 200]
    assert len(told) >= 5
    assert not any(CANARY in each for each in told)
    assert CANARY not in caplog.text
    assert CANARY not in await house.metrics()
    names = await house.stored()
    values = [
        await house.proxy.app[keys.STATE].run("dump", lambda client, name=name: client.dump(name)) for name in names
    ]
    assert not any(CANARY.encode() in value for value in (*names, *values))
    assert not any(CANARY.encode() in path.read_bytes() or CANARY in str(path) for path in house.originals)
    assert CANARY not in repr(house.proxy.app[keys.TENANTS].identify(f"Bearer {CANARY}"))


async def test_a_key_that_is_configured_is_its_tenants_with_limits(tmp_path: Path, valkey: EmbeddedValkey):
    team = TenantSettings(name="team-a", key_hashes=(hash_key(CANARY),), limits=LimitSettings(tokens_per_minute=1))
    async with opened(tmp_path, valkey, tenants=(team,)) as house:
        assert (await house.ask()).status == 429
        assert (await house.ask(key=OTHER)).status == 200
        (request,) = house.provider.requests
        assert request.headers["authorization"] == f"Bearer {OTHER}"


SUMMARISING = """
extends: default
keep_last_turns: 2
history: {then: summarise}
summarise: {model: %s, timeout_seconds: 5, max_tokens: 1234}
"""
SUMMARY_TOKENS = 1_234


@pytest.fixture
def summarising(tmp_path: Path) -> Path:
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "own.yaml").write_text(SUMMARISING % "null")
    (folder / "operators.yaml").write_text(SUMMARISING % "small")
    return folder


def long_talk() -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Plan the cranes."}]
    for turn in range(12):
        messages.append({"role": "assistant", "content": f"Proposal {turn}. " + "The crane can take it. " * 60})
        messages.append({"role": "user", "content": f"Question {turn}: " + "what about the tide there? " * 40})
    return {"model": "m", "messages": messages, "max_tokens": 300}


@asynccontextmanager
async def brief(folder: Path, valkey: EmbeddedValkey, policies: Path, policy: str) -> AsyncIterator[House]:
    """A house whose policy summarises, by the client's model or by `small`."""
    async with ScriptedUpstream() as provider:
        plain = bench.model(provider.url, window=4_000, policy=policy)
        small = plain.model_copy(update={"name": "small", "upstream": "openai/small"})
        directory = PoliciesSettings(directory=policies)
        made = settings(folder, provider, valkey.url, models=(plain, small), policies=directory)
        async with running(made) as proxy, ClientSession(proxy.url) as http:
            await proxy.app[keys.STATE].run("flush", lambda client: client.flushall())
            yield House(proxy, provider, http, folder / "artifacts")


def summariser_calls(provider: ScriptedUpstream) -> list[Recorded]:
    """Told by the length of the answer that they ask for."""
    return [request for request in provider.requests if request.json.get("max_tokens") == SUMMARY_TOKENS]


@pytest.mark.parametrize("policy", ["own", "operators"])
async def test_for_a_stranger_nothing_is_summarised(
    tmp_path: Path, valkey: EmbeddedValkey, summarising: Path, policy: str
):
    async with brief(tmp_path, valkey, summarising, policy) as house:
        house.provider.default = lambda _: REFUSED
        assert (await house.ask(long_talk())).status == 401
        assert len(house.provider.requests) == 1
        assert (await house.stored(), house.originals) == ([], [])


@pytest.mark.parametrize(("policy", "pays"), [("own", CANARY), ("operators", OPERATORS_KEY)])
async def test_a_known_clients_summary_runs_on_its_own_key_unless_a_model_is_configured(
    tmp_path: Path, valkey: EmbeddedValkey, summarising: Path, policy: str, pays: str
):
    async with brief(tmp_path, valkey, summarising, policy) as house:
        await house.ask()
        await house.ask(long_talk())
        found = summariser_calls(house.provider)
        assert found
        assert {request.headers["authorization"] for request in found} == {f"Bearer {pays}"}
