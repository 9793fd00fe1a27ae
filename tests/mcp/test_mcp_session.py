"""The SDK's plain session, which shakes hands and can ping, and clients that leave in the middle of a call."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from proxy.app import Running
from proxy.artifacts import Artifact
from proxy.context import ContextEngine
from proxy.http import keys
from proxy.mcp.versions import SHAKES_HANDS
from proxy.policy_files import load_policies
from proxy.tokens import Counter
from proxy.workspaces import Workspaces
from tests.http.http_builders import KEY_A, SECRET, FakeArtifacts, World, serving
from tests.mcp.mcp_house import LOCATOR, MODES, PATH, TEAM, UNKNOWN, connected, text_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Hanging(FakeArtifacts):
    """A store from which nothing of one locator comes; it sees whether somebody still waits."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.left = asyncio.Event(), asyncio.Event()

    async def get(self, tenant: str, locator: str) -> Artifact | None:
        if locator != LOCATOR:
            return await super().get(tenant, locator)
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.left.set()
        return None


async def test_a_plain_session_shakes_hands_pings_and_calls(proxy: Running) -> None:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {TEAM}"}) as http,
        streamable_http_client(proxy.url + PATH, http_client=http) as (receiving, sending),
        ClientSession(receiving, sending) as session,
    ):
        initialized = await session.initialize()
        assert (initialized.server_info.name, initialized.protocol_version) == ("forebay", SHAKES_HANDS[-1])
        await session.send_ping()
        told = await session.call_tool("context_read", {"locator": LOCATOR, "lines": "7"})
        assert "line 7\n" in text_of(told)


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_that_leaves_ends_its_call_and_no_other(mode: str) -> None:
    hanging = Hanging()
    app = World(artifacts=hanging).app()
    app[keys.ENGINE] = ContextEngine(load_policies(), {"o200k_base": Counter("o200k_base")}, SECRET)
    app[keys.WORKSPACES] = Workspaces(())

    async def calling(url: str) -> None:
        async with connected(url, mode, KEY_A) as client:
            await client.call_tool("context_read", {"locator": LOCATOR})

    async with serving(app) as url, connected(url, mode, KEY_A) as other:
        task = asyncio.create_task(calling(url))
        await asyncio.wait_for(hanging.asked.wait(), 10)
        assert not hanging.left.is_set()
        task.cancel()
        await asyncio.wait_for(hanging.left.wait(), 10)
        await asyncio.wait({task})
        told = await other.call_tool("context_read", {"locator": UNKNOWN})
        assert "Run the source again" in text_of(told)
