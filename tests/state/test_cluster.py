"""The map of a cluster: drawn once for all who wait, and found again where every node that was known is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio.cluster import ClusterNode

from proxy.errors import StoreError
from proxy.state.cluster import Cluster
from proxy.state.redis import StateStore
from tests.store_servers import ServerCluster, server


@pytest.fixture
async def opened(cluster: ServerCluster) -> AsyncIterator[StateStore]:
    store = StateStore(cluster.url, timeout_ms=5_000)
    yield store
    await store.close()


def client_of(store: StateStore) -> Cluster:
    assert isinstance(store._client, Cluster)
    return store._client


def drawings(cluster: ServerCluster) -> int:
    """How often the map was asked for."""
    told = [line for each in cluster.masters for line in each.info("commandstats").splitlines()]
    calls = [line.partition("calls=")[2].partition(",")[0] for line in told if line.startswith("cmdstat_cluster|slots")]
    return sum(map(int, calls))


async def set_some(store: StateStore, count: int = 50) -> None:
    """Keys in slots of every node."""
    await asyncio.gather(*(store.run("set", lambda client, n=n: client.set(f"k{n}", n, ex=60)) for n in range(count)))  # type: ignore[misc]


async def test_many_callers_at_once_wait_for_one_map(opened: StateStore, cluster: ServerCluster):
    before = drawings(cluster)
    await set_some(opened)
    assert drawings(cluster) == before + 2, "redis-py asks once more when it learns the commands"


async def test_a_failure_has_the_map_drawn_once_more(opened: StateStore, cluster: ServerCluster):
    await set_some(opened)
    before = drawings(cluster)
    client_of(opened).failed()
    await set_some(opened)
    assert drawings(cluster) == before + 1


async def test_a_caller_that_leaves_does_not_stop_the_map(opened: StateStore):
    leaving = asyncio.create_task(client_of(opened).get())
    await asyncio.sleep(0)
    leaving.cancel()
    await set_some(opened)


async def test_where_every_known_node_is_gone_those_of_the_configuration_are_asked(opened: StateStore):
    await set_some(opened)
    manager = (await client_of(opened).get()).nodes_manager
    await manager.aclose("startup_nodes")
    manager.startup_nodes = {"127.0.0.1:1": ClusterNode("127.0.0.1", 1, **manager.connection_kwargs)}
    client_of(opened).failed()
    await set_some(opened)


async def test_a_pipeline_over_several_slots_is_split_and_answered_in_order(opened: StateStore):
    async def many(client: Any) -> list[Any]:
        async with client.pipeline(transaction=False) as pipe:
            for number in range(30):
                pipe.set(f"p{number}", number, ex=60)
                pipe.get(f"p{number}")
            found: list[Any] = await pipe.execute(raise_on_error=False)
            return found

    assert (await opened.run("many", many))[1::2] == [str(number).encode() for number in range(30)]


async def test_a_cluster_of_which_no_node_answers_is_a_store_that_fails():
    store = StateStore("redis+cluster://127.0.0.1:1,127.0.0.1:2")
    for _ in range(2):
        with pytest.raises(StoreError):
            await store.run("get", lambda client: client.get("key"))
    await store.close()


async def test_a_server_that_is_no_cluster_is_a_store_that_fails(tmp_path: Path):
    with server(tmp_path / "alone") as alone:
        store = StateStore(f"redis+cluster://127.0.0.1:{alone.port}", timeout_ms=5_000)
        assert not await store.ping()
        await store.close()


async def test_a_store_that_was_never_used_can_be_closed(cluster: ServerCluster):
    await StateStore(cluster.url).close()


async def test_a_connection_that_another_calls_failure_closed_is_a_failure_of_the_store(opened: StateStore):
    """As met in a fail-over: redis-py found no writer where it was about to write."""

    async def write(_client: Any) -> None:
        raise AttributeError("'NoneType' object has no attribute 'writelines'")

    with pytest.raises(StoreError, match="AttributeError"):
        await opened.run("set", write)
    assert not opened.available
