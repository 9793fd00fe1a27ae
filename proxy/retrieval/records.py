"""Small values below a tenant in the state store, each with a time to live that use renews."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from proxy.state.keys import tenant_key
from proxy.state.redis import StateStore, answers

_AT_ONCE = 500


class Records(Protocol):
    """Methods raise StoreError when the store cannot answer."""

    async def put(self, tenant: str, name: str, value: bytes) -> None:
        """Keep a value."""
        ...

    async def get(self, tenant: str, names: Sequence[str]) -> list[bytes | None]:
        """The values of these names in order, their time to live renewed; None for what is not there."""
        ...


class RedisRecords:
    """Implements `Records`. An agent waits for these calls, so they leave it to others to try a store that failed."""

    def __init__(self, store: StateStore, ttl_seconds: int) -> None:
        self._store = store
        self._ttl = ttl_seconds

    async def put(self, tenant: str, name: str, value: bytes) -> None:
        """Keep a value."""

        async def write(client: Any) -> None:
            await client.set(tenant_key(tenant, name), value, ex=self._ttl)

        await self._store.run("put", write, may_probe=False)

    async def get(self, tenant: str, names: Sequence[str]) -> list[bytes | None]:
        """The values of these names in order, their time to live renewed; None for what is not there."""
        found: list[bytes | None] = []
        for start in range(0, len(names), _AT_ONCE):
            reading = self._reading(tenant, names[start : start + _AT_ONCE])
            found += await self._store.run("get_many", reading, may_probe=False)
        return found

    def _reading(self, tenant: str, names: Sequence[str]) -> Any:
        async def read(client: Any) -> list[bytes | None]:
            async with client.pipeline(transaction=False) as pipe:
                for name in names:
                    pipe.getex(tenant_key(tenant, name), ex=self._ttl)
                return await answers(pipe)

        return read
