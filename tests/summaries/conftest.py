"""A scripted provider behind the real relay, and a store in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from proxy.upstream import Route
from proxy.upstream.transports import transports
from tests.laws.proxied import route
from tests.scripted_upstream import Json, ScriptedUpstream, completion
from tests.summaries.desk_builders import TEXT, Counted, MemoryLedger


@pytest.fixture
async def provider() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream() as server:
        usage = {"prompt_tokens": 400, "completion_tokens": 9, "total_tokens": 409}
        server.default = lambda _request: Json(completion({"content": TEXT}, usage=usage))
        yield server


@pytest.fixture
async def upstream() -> AsyncIterator[Counted]:
    async with transports(with_sdk=False) as both:
        yield Counted(both)


@pytest.fixture
def small(provider: ScriptedUpstream) -> Route:
    """The summariser's route."""
    return replace(route(32_000), name="small", base_url=provider.url)


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()
