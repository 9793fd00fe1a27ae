"""A proxy is replaced between two requests, and no byte that goes upstream tells it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from proxy.app import running
from proxy.settings import ModelSettings
from tests.faults.bench import MODEL, NO_STORE, Bench, an_agent, model, session, settings
from tests.faults.valkeys import OwnValkey
from tests.scripted_upstream import ScriptedUpstream

NAMES = [f"{policy}-{window}" for policy in ("default", "coding") for window in (8_000, 16_000, 32_000)]
FIRST, RESTART, LAST = 44, 48, 52
"""The requests before FIRST are left out, which the laws allow; from RESTART on another proxy takes over."""


@dataclass(frozen=True)
class Group:
    """Proxies that share a provider; each knows every model of NAMES."""

    provider: ScriptedUpstream
    folder: Path

    @asynccontextmanager
    async def proxy(self, name: str, state_url: str = NO_STORE) -> AsyncIterator[Bench]:
        models = [self._model(each) for each in NAMES]
        configured = settings(self.folder / name, *models, state_url=state_url, timeout_ms=10_000)
        async with running(configured) as proxy, an_agent() as http:
            yield Bench(proxy, self.provider, http)

    def _model(self, name: str) -> ModelSettings:
        policy, window = name.split("-")
        return model(self.provider.url, name, policy=policy, window=int(window))

    async def forwarded(self, turns: Sequence[tuple[Bench, int]]) -> list[bytes]:
        """What goes upstream when these proxies get these requests, for every model."""
        already = len(self.provider.requests)
        for at, number in turns:
            for name in NAMES:
                answer = await at.ask(asked(number, name))
                assert answer.status == 200
            await at.recorded()
        return [request.body for request in self.provider.requests[already:]]


def asked(number: int, name: str) -> bytes:
    return session(LAST)[number].replace(f'"model": "{MODEL}"'.encode(), f'"model": "{name}"'.encode(), 1)


@pytest.fixture
async def group(tmp_path: Path) -> AsyncIterator[Group]:
    async with ScriptedUpstream() as provider:
        yield Group(provider, tmp_path)


async def uninterrupted(group: Group, first: int = FIRST) -> list[bytes]:
    async with group.proxy("uninterrupted") as at:
        return await group.forwarded([(at, number) for number in range(first, LAST)])


async def test_the_session_is_edited_in_every_window(group: Group) -> None:
    seen = await uninterrupted(group, LAST - 1)
    assert all(b"art_" in body for body in seen)
    assert len({len(json.loads(body)["messages"]) for body in seen}) > 2


async def test_a_restart_on_the_same_state_folder(group: Group) -> None:
    whole = await uninterrupted(group)
    async with group.proxy("a", "embedded") as at:
        seen = await group.forwarded([(at, number) for number in range(FIRST, RESTART)])
    async with group.proxy("a", "embedded") as at:
        seen += await group.forwarded([(at, number) for number in range(RESTART, LAST)])
    assert seen == whole


async def test_a_restart_on_an_empty_state_folder_with_the_same_secret(group: Group) -> None:
    whole = await uninterrupted(group)
    async with group.proxy("a", "embedded") as at:
        seen = await group.forwarded([(at, number) for number in range(FIRST, RESTART)])
    async with group.proxy("b", "embedded") as at:
        seen += await group.forwarded([(at, number) for number in range(RESTART, LAST)])
    assert seen == whole


async def test_two_workers_that_share_a_store_take_turns(group: Group, tmp_path: Path) -> None:
    whole = await uninterrupted(group)
    valkey = OwnValkey(tmp_path / "valkey")
    valkey.start()
    try:
        async with group.proxy("a", valkey.url) as one, group.proxy("b", valkey.url) as other:
            turns = [((one, other)[number % 2], number) for number in range(FIRST, LAST)]
            assert await group.forwarded(turns) == whole
    finally:
        valkey.stop()


async def test_a_proxy_that_has_seen_it_all_forwards_what_one_does_that_is_new(group: Group) -> None:
    async with group.proxy("a") as at:
        warm = await group.forwarded([(at, number) for number in range(LAST)])
    async with group.proxy("b") as at:
        cold = await group.forwarded([(at, LAST - 1)])
    assert warm[-len(NAMES) :] == cold
