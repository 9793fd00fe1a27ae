"""One proxy and one provider per module, for the embedded store takes its time; each test finds the provider as new."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp import ClientSession, DummyCookieJar

from proxy.app import Running, running
from proxy.settings import Settings
from tests.end_to_end.house import Provider, Transport, proxy_settings


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def modules_provider() -> AsyncIterator[Provider]:
    async with Provider() as server:
        yield server


@pytest.fixture(scope="module")
def settings(modules_provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return proxy_settings(modules_provider.url, tmp_path_factory.mktemp("forebay"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(settings: Settings) -> AsyncIterator[Running]:
    """A whole proxy in this process, its store in a folder of its own."""
    async with running(settings) as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(proxy: Running) -> AsyncIterator[ClientSession]:
    """An agent's connections to the main port."""
    async with ClientSession(proxy.url, cookie_jar=DummyCookieJar()) as session:
        yield session


@pytest.fixture
def provider(modules_provider: Provider) -> Provider:
    modules_provider.forget()
    return modules_provider


@pytest.fixture(params=["relay", "litellm"])
def transport(request: pytest.FixtureRequest) -> Transport:
    chosen: Transport = request.param
    return chosen
