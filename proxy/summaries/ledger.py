"""What was decided of segments, in the state store: the first writer wins, and one writer at a time is at it."""

from __future__ import annotations

import secrets
from typing import Any, Protocol

import msgspec

from policies.summaries import Decision
from proxy.errors import StoreError
from proxy.state.keys import tenant_key
from proxy.state.redis import StateStore

_SETTLE = "redis.call('set', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) return redis.call('get', KEYS[1])"
_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"


class Ledger(Protocol):
    """Methods raise StoreError when the store cannot answer, or holds what is no decision."""

    async def find(self, tenant: str, key: str) -> Decision | None:
        """What stands, its time to live renewed."""
        ...

    async def settle(self, tenant: str, key: str, decision: Decision) -> Decision:
        """Record a decision if there is none; what stands then."""
        ...

    async def lease(self, tenant: str, key: str, seconds: float) -> str | None:
        """The right to work on a segment for a while: a token to give it back with; None while somebody has it."""
        ...

    async def is_leased(self, tenant: str, key: str) -> bool:
        """Whether somebody is at it."""
        ...

    async def release(self, tenant: str, key: str, token: str) -> None:
        """Give a lease back; one that ran out and is another's stays."""
        ...


class _Kept(msgspec.Struct, frozen=True):
    """What stands in the store; checked against what was asked for."""

    tenant: str
    key: str
    text: str | None


_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(_Kept)


class RedisLedger:
    """Implements `Ledger`."""

    def __init__(self, store: StateStore, ttl_seconds: int) -> None:
        self._store = store
        self._ttl = ttl_seconds

    async def find(self, tenant: str, key: str) -> Decision | None:
        """What stands, its time to live renewed."""
        name = _decision(tenant, key)

        async def read(client: Any) -> bytes | None:
            found: bytes | None = await client.getex(name, ex=self._ttl)
            return found

        value = await self._store.run("summary_get", read)
        return None if value is None else _decoded(tenant, key, value)

    async def settle(self, tenant: str, key: str, decision: Decision) -> Decision:
        """Record a decision if there is none; what stands then."""
        name, value = _decision(tenant, key), _encode(_Kept(tenant, key, decision.text))

        async def write(client: Any) -> bytes | None:
            found: bytes | None = await client.eval(_SETTLE, 1, name, value, self._ttl)
            return found

        stands = await self._store.run("summary_put", write)
        if stands is None:
            raise StoreError("a decision was recorded and is not there")
        return _decoded(tenant, key, stands)

    async def lease(self, tenant: str, key: str, seconds: float) -> str | None:
        """The right to work on a segment for a while; None while somebody has it."""
        token = secrets.token_hex(8)

        async def acquire(client: Any) -> bool:
            return bool(await client.set(_lease(tenant, key), token, nx=True, px=int(seconds * 1000)))

        return token if await self._store.run("lease", acquire) else None

    async def is_leased(self, tenant: str, key: str) -> bool:
        """Whether somebody is at it."""

        async def look(client: Any) -> bool:
            return bool(await client.exists(_lease(tenant, key)))

        return await self._store.run("lease", look)

    async def release(self, tenant: str, key: str, token: str) -> None:
        """Give a lease back; one that ran out and is another's stays."""

        async def give_back(client: Any) -> None:
            await client.eval(_RELEASE, 1, _lease(tenant, key), token)

        await self._store.run("lease", give_back)


def _decision(tenant: str, key: str) -> str:
    return tenant_key(tenant, f"summary:{key}")


def _lease(tenant: str, key: str) -> str:
    return tenant_key(tenant, f"summarising:{key}")


def _decoded(tenant: str, key: str, value: bytes) -> Decision:
    try:
        kept = _decoder.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise StoreError("a decision in the state store cannot be read") from None
    if (kept.tenant, kept.key) != (tenant, key):
        raise StoreError("a decision in the state store is another's")
    return Decision(kept.text)
