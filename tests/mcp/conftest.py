"""One proxy per module, for the embedded store takes its time; nothing is remembered between two requests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from proxy.app import Running, running
from tests.mcp.mcp_house import mcp_settings, stock


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    async with running(mcp_settings(tmp_path_factory.mktemp("mcp"))) as started:
        await stock(started)
        yield started
