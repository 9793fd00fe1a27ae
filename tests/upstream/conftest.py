"""What the tests of the upstreams share: a scripted provider, both transports, routes between them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Literal

import pytest
from pydantic import SecretStr

from proxy.upstream import Route, Upstream
from proxy.upstream.relay import Relay
from proxy.upstream.transports import transports
from tests.scripted_upstream import ScriptedUpstream
from tests.upstream.calls import KEY


@pytest.fixture
async def provider() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream() as server:
        yield server


@pytest.fixture
async def canary() -> AsyncIterator[ScriptedUpstream]:
    """A server that nobody may ever talk to."""
    async with ScriptedUpstream() as server:
        yield server


@pytest.fixture(params=["relay", "litellm"])
def transport(request: pytest.FixtureRequest) -> Literal["relay", "litellm"]:
    chosen: Literal["relay", "litellm"] = request.param
    return chosen


@pytest.fixture
async def upstream(transport: str) -> AsyncIterator[Upstream]:
    async with transports(with_sdk=transport == "litellm") as opened:
        yield opened


@pytest.fixture
def route(provider: ScriptedUpstream, transport: Literal["relay", "litellm"]) -> Route:
    """To the scripted provider, over the transport that the test runs with."""
    return _route(provider, transport)


@pytest.fixture
async def relay() -> AsyncIterator[Relay]:
    opened = Relay()
    yield opened
    await opened.close()


@pytest.fixture
def relayed(provider: ScriptedUpstream) -> Route:
    return _route(provider, "relay")


@pytest.fixture
async def sdk() -> AsyncIterator[Upstream]:
    async with transports(with_sdk=True) as opened:
        yield opened


@pytest.fixture
def native(provider: ScriptedUpstream) -> Route:
    """Through LiteLLM to a provider that speaks OpenAI's language."""
    return _route(provider, "litellm")


@pytest.fixture
def anthropic(native: Route, provider: ScriptedUpstream) -> Route:
    """Through LiteLLM to a provider that speaks Anthropic's."""
    model = "claude-sonnet-4-5"
    return replace(native, provider="anthropic", model=model, sdk_model=f"anthropic/{model}", base_url=provider.origin)


def _route(provider: ScriptedUpstream, transport: Literal["relay", "litellm"]) -> Route:
    return Route(
        name="scripted",
        sdk_model="openai/m",
        model="m",
        provider="openai",
        transport=transport,
        base_url=provider.url,
        api_key=SecretStr(KEY),
    )
