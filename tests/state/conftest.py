"""Real stores for the tests of this folder: an embedded Valkey, a cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from proxy.state.embedded import EmbeddedValkey
from proxy.state.redis import StateStore
from tests.store_servers import ServerCluster, server_cluster


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    """One server per test module; the tests use tenants of their own or `store`, which starts empty."""
    server = EmbeddedValkey(tmp_path_factory.mktemp("state"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    """A server that the test may ill-treat."""
    server = EmbeddedValkey(tmp_path / "state")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerCluster]:
    """Three masters per test module."""
    with server_cluster(tmp_path_factory.mktemp("cluster"), replicas=False) as servers:
        yield servers


@pytest.fixture(params=["server", "cluster"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[StateStore]:
    """A client with patience (the machine of the tests may be busy), of one server and of a cluster: one suite for
    both."""
    name = "valkey" if request.param == "server" else "cluster"
    opened = StateStore(request.getfixturevalue(name).url, timeout_ms=5_000)
    await opened.run("flush", lambda client: client.flushall())
    yield opened
    await opened.close()
