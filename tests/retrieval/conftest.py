"""A scripted model, both transports, and the desk between them."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Literal

import pytest
import pytest_asyncio
from aiohttp import ClientSession
from pydantic import SecretStr

from proxy.artifacts import Artifact
from proxy.upstream import Route, Upstream
from proxy.upstream.transports import transports
from tests.retrieval.desk import LINES, LOCATOR, Desk, opened
from tests.scripted_upstream import ScriptedUpstream


@pytest_asyncio.fixture
async def model() -> AsyncIterator[ScriptedUpstream]:
    async with ScriptedUpstream() as server:
        yield server


@pytest.fixture(params=["relay", "litellm"])
def transport(request: pytest.FixtureRequest) -> Literal["relay", "litellm"]:
    chosen: Literal["relay", "litellm"] = request.param
    return chosen


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request: pytest.FixtureRequest) -> bool:
    chosen: bool = request.param
    return chosen


@pytest_asyncio.fixture
async def upstream(transport: str) -> AsyncIterator[Upstream]:
    async with transports(with_sdk=transport == "litellm") as both:
        yield both


@pytest.fixture
def route(model: ScriptedUpstream, transport: Literal["relay", "litellm"]) -> Route:
    return Route("m", "openai/m", "m", "openai", transport, model.url, SecretStr("sk-operator"))


@pytest.fixture
def desk(upstream: Upstream, route: Route) -> Desk:
    made = Desk(upstream, route)
    now = time.time()
    made.artifacts.kept["t", LOCATOR] = Artifact(LOCATOR, "result", LINES, now, now + 60, ())
    return made


@pytest_asyncio.fixture
async def client(desk: Desk) -> AsyncIterator[ClientSession]:
    async with opened(desk) as session:
        yield session
