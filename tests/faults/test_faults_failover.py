"""A master is killed in the middle of traffic: no request fails, and the store is in use again once another took over.

Killed for good: what comes back is its replica, found through the cluster's map or the sentinels.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import ClientSession
from pydantic import SecretStr

from proxy.app import running
from proxy.http import keys
from proxy.keys import hash_key
from proxy.settings import LimitSettings, Settings, TenantSettings
from proxy.state.keys import tenant_key
from tests.faults import bench
from tests.scripted_upstream import ScriptedUpstream
from tests.store_servers import PATIENCE, ServerCluster, Watched, server_cluster, watched

TEAM, KEY = "team-a", "fb-key"
PASSWORD = "a-password-of-the-store"
AGENTS = 8


@dataclass
class Traffic:
    """Agents that ask one request after the other until told to stop, each in a session of its own."""

    url: str
    statuses: list[int] = field(default_factory=list)
    degraded: list[str | None] = field(default_factory=list)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        async with bench.an_agent() as http:
            await asyncio.gather(*(self._agent(http, number) for number in range(AGENTS)))

    async def _agent(self, http: ClientSession, number: int) -> None:
        headers = {"authorization": f"Bearer {KEY}", "x-context-session": f"agent-{number}"}
        body = {"model": bench.MODEL, "messages": [{"role": "user", "content": f"I am agent {number}."}]}
        while not self.stopped.is_set():
            async with http.post(f"{self.url}/v1/chat/completions", json=body, headers=headers) as answer:
                await answer.read()
            self.statuses.append(answer.status)
            self.degraded.append(answer.headers.get("x-context-degraded"))

    async def grown(self, count: int = 50) -> None:
        """Wait for so many more answers."""
        until = len(self.statuses) + count
        await bench.until(lambda: len(self.statuses) >= until, f"{count} more answers")


def settings(folder: Path, provider: ScriptedUpstream, state_url: str) -> Settings:
    """A team with token limits that are never reached, so that every request asks the store on its way."""
    plain = bench.settings(folder, bench.model(provider.url), timeout_ms=250)
    limits = LimitSettings(tokens_per_minute=10**9, tokens_per_session=10**9)
    team = TenantSettings(name=TEAM, key_hashes=(hash_key(KEY),), limits=limits)
    return plain.model_copy(
        update={
            "auth": plain.auth.model_copy(update={"mode": "keys"}),
            "tenants": (team,),
            "state": plain.state.model_copy(update={"url": SecretStr(state_url)}),
        }
    )


async def through_a_fail_over(folder: Path, state_url: str, kill: object, took_over: object) -> Traffic:
    """Traffic before, while and after a master is dead; checks that nobody noticed more than a degraded header."""
    assert callable(kill)
    assert callable(took_over)
    async with ScriptedUpstream() as provider, running(settings(folder, provider, state_url)) as proxy:
        store = proxy.app[keys.STATE]
        assert store.available, "the store was in use before"
        traffic = Traffic(proxy.url)
        agents = asyncio.create_task(traffic.run())
        await traffic.grown()
        assert set(traffic.degraded) == {None}
        kill()
        await bench.until(lambda: not store.available, "the loss was seen")
        await traffic.grown()
        async with asyncio.timeout(PATIENCE):
            while not await asyncio.to_thread(took_over):  # noqa: ASYNC110 -- processes have no event to await
                await asyncio.sleep(0.05)
        await bench.until(lambda: store.available and traffic.degraded[-AGENTS:] == [None] * AGENTS, "in use again")
        await traffic.grown()
        traffic.stopped.set()
        await agents
        print(f"sent {len(traffic.statuses)}, failed {sum(s != 200 for s in traffic.statuses)}, "  # noqa: T201
              f"degraded {sum(d is not None for d in traffic.degraded)}")  # fmt: skip
        return traffic


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ServerCluster]:
    with server_cluster(tmp_path / "cluster") as servers:
        yield servers


@pytest.fixture
def sentinels(tmp_path: Path) -> Iterator[Watched]:
    with watched(tmp_path / "watched", password=PASSWORD) as servers:
        servers.login, servers.options = f":{PASSWORD}@", f"?sentinel_password={PASSWORD}"
        yield servers


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_master_of_a_cluster_that_dies_or_hangs_costs_no_request(
    tmp_path: Path, cluster: ServerCluster, number: signal.Signals
) -> None:
    lost = cluster.master_of(tenant_key(TEAM, "sessions"))
    traffic = await through_a_fail_over(
        tmp_path, cluster.url, lambda: lost.process.send_signal(number), lambda: cluster.took_over(lost)
    )
    assert set(traffic.statuses) == {200}


async def test_a_killed_primary_under_sentinels_costs_no_request(tmp_path: Path, sentinels: Watched) -> None:
    traffic = await through_a_fail_over(tmp_path, sentinels.url, sentinels.primary.kill, sentinels.took_over)
    assert set(traffic.statuses) == {200}


async def test_a_sentinel_that_is_down_too_is_passed_over(tmp_path: Path, sentinels: Watched) -> None:
    sentinels.sentinels[0].kill()
    sentinels.sentinels = sentinels.sentinels[1:]
    sentinels.hosts = [f"127.0.0.1:{each.port}" for each in sentinels.sentinels]
    sentinels.hosts.insert(0, "127.0.0.1:1")
    traffic = await through_a_fail_over(tmp_path, sentinels.url, sentinels.primary.kill, sentinels.took_over)
    assert set(traffic.statuses) == {200}
