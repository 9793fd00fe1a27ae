"""The ways to a store: one server, the primary that sentinels name, or a cluster (`cluster.py`).

A dead primary is replaced by others; a client only has to learn of it. A connection to a primary behind sentinels
asks them anew each time it is opened, and is closed where it turns out to lead to a replica.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Protocol

from redis.asyncio import BlockingConnectionPool, Redis, Sentinel, SSLConnection, UnixDomainSocketConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from proxy.settings.store_address import StoreAddress

LONGEST_PAUSE = 30.0
FAIL_OVER_PAUSE = 4.0
"""Where others replace what failed, it is looked for again at least this often."""


class Client(Protocol):
    """`longest_pause` is how long a store that failed may be left alone."""

    longest_pause: float

    async def get(self) -> Any:
        """What commands are given to. Raises what redis-py raises where there is nobody."""
        ...

    def failed(self) -> None:
        """A call was not answered: what is known of the store may be out of date."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...


class Direct:
    """A client that finds its server by itself, and what else is to be closed with it."""

    def __init__(self, client: Redis, sentinel: Sentinel | None = None) -> None:
        self._client = client
        self._sentinel = sentinel
        self.longest_pause = LONGEST_PAUSE if sentinel is None else FAIL_OVER_PAUSE

    async def get(self) -> Any:
        """The client, always the same."""
        return self._client

    def failed(self) -> None:
        """Nothing is known that could be out of date."""

    async def close(self) -> None:
        """Close every connection."""
        with suppress(RedisError, OSError):
            await self._client.aclose()
            if self._sentinel is not None:
                await self._sentinel.aclose()


def credentials(address: StoreAddress) -> dict[str, Any]:
    """User, password and TLS, as redis-py's connections are told them."""
    return {"username": address.username, "password": address.password, **address.tls_options}


def connection_options(seconds: float) -> dict[str, Any]:
    """RESP2 without CLIENT SETINFO: fewer round trips per connection, and nothing that an old server refuses.

    Each call goes out once, and whoever calls decides what a failure means.
    """
    return {
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "retry": Retry(NoBackoff(), 0),
        "health_check_interval": 0,
        "protocol": 2,
        "driver_info": None,
    }


def direct(address: StoreAddress, seconds: float, pool_size: int) -> Direct:
    """One server."""
    where: dict[str, Any] = {"path": address.path, "connection_class": UnixDomainSocketConnection}
    if address.kind == "server":
        where = dict(zip(("host", "port"), address.hosts[0], strict=True))
        where |= {"connection_class": SSLConnection} if address.tls else {}
    pool = BlockingConnectionPool(
        max_connections=pool_size,
        timeout=seconds,
        db=address.db,
        **where,
        **credentials(address),
        **connection_options(seconds),
    )
    return Direct(Redis.from_pool(pool))


def behind_sentinels(address: StoreAddress, seconds: float, timeout: float, pool_size: int) -> Direct:
    """The primary of a service. Sentinels are asked one by one, so that a silent one leaves time for the others."""
    tls: dict[str, Any] = {"ssl": True, **address.tls_options} if address.tls else {}
    asking = {
        "username": address.sentinel_username,
        "password": address.sentinel_password,
        **tls,
        **connection_options(timeout / (len(address.hosts) + 1)),
    }
    sentinel = Sentinel(address.hosts, sentinel_kwargs=asking)  # type: ignore[no-untyped-call]
    client = sentinel.master_for(
        address.service,
        max_connections=pool_size,
        db=address.db,
        username=address.username,
        password=address.password,
        **tls,
        **connection_options(seconds),
    )
    return Direct(client, sentinel)
