"""A cluster: its map of slots, drawn when first needed and anew after each failure.

redis-py's own client draws it within the call that failed, closes everybody's connections where that is cancelled,
and never draws it for a pipeline. So it is drawn here, in a task of its own, which all callers wait for and none ends.
A pipeline may touch several slots: it is split by node, and what one node cannot do is the pipeline's error. A
transaction may not, and redis-py's blocks the loop: use a script instead.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from redis.asyncio import RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from proxy.settings.store_address import StoreAddress
from proxy.state.clients import FAIL_OVER_PAUSE, connection_options, credentials

_DRAWING_SECONDS = 10.0
_CONNECT_SECONDS, _ANSWER_SECONDS = 1.0, 2.0
"""A node that hangs, or whose machine has vanished, says nothing; another one is asked for the map after this."""


class Cluster:
    """A `Client`. Construct it in the running loop."""

    longest_pause = FAIL_OVER_PAUSE

    def __init__(self, address: StoreAddress, seconds: float, pool_size: int) -> None:
        options = connection_options(seconds)
        del options["retry"]  # of a connection; a cluster's own is how often a command goes out again
        self._configured = address.hosts
        self._client = RedisCluster(
            startup_nodes=[ClusterNode(host, port) for host, port in address.hosts],
            require_full_coverage=False,
            reinitialize_steps=0,  # else each fifth slot that moved closes the connections of calls under way
            max_connections=2 * pool_size,
            ssl=address.tls,
            retry=Retry(NoBackoff(), 0),
            **credentials(address),
            **{**options, "socket_connect_timeout": _CONNECT_SECONDS, "socket_timeout": min(_ANSWER_SECONDS, seconds)},
        )
        self._is_stale = True
        self._drawing: asyncio.Task[None] | None = None

    async def get(self) -> Any:
        """The client, its map as of now. Raises what redis-py raises where no node answers."""
        if self._is_stale:
            if self._drawing is None or self._drawing.done():
                self._drawing = asyncio.create_task(self._draw())
                self._drawing.add_done_callback(_seen)
            await asyncio.shield(self._drawing)
        return self._client

    def failed(self) -> None:
        """Draw the map anew before the next call."""
        self._is_stale = True

    async def close(self) -> None:
        """Close every connection, also those of a client that failed and so counts as closed."""
        if self._drawing is not None:
            self._drawing.cancel()
            await asyncio.wait({self._drawing})
        with suppress(RedisError, OSError):
            await self._client.aclose()
            await self._client.nodes_manager.aclose()
            await self._client.nodes_manager.aclose("startup_nodes")

    async def _draw(self) -> None:
        """Asks the nodes last known and those of the configuration: all others may have moved."""
        known, options = self._client.nodes_manager.startup_nodes, dict[str, Any](self._client.get_connection_kwargs())
        for host, port in self._configured:
            node = ClusterNode(host, port, **options)
            known.setdefault(node.name, node)
        async with asyncio.timeout(_DRAWING_SECONDS):
            await self._client.nodes_manager.initialize()
            await self._client.initialize()
        self._is_stale = False


def _seen(task: asyncio.Task[None]) -> None:
    """Its failure is told to those who wait; there may be nobody left."""
    if not task.cancelled():
        task.exception()
