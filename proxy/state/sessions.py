"""Session records in Redis: what a tenant's sessions did, for reports.

Per session one hash (who it is and its totals), one list (the latest requests) and one sorted set (its
children); per tenant one sorted set of its sessions by time. Every write sets the time to live of the keys that it
touched in the same pipeline. No transaction: a half-written record costs figures, nothing else.

What is read may be anyone's: it carries its tenant and session and is checked, and what does not fit is a StoreError.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from proxy.errors import StoreError
from proxy.state import RequestRecord
from proxy.state.keys import session_key, tenant_key
from proxy.state.redis import StateStore, answers, checked

_REQUESTS = 50
_CHILDREN = 100
_SESSIONS = 10_000
_LONGEST_LIST = 1_000
_REPORT_BYTES = 64 * 1024
_TOTAL = "total:"


class _Entry(msgspec.Struct, frozen=True):
    """One request in the log of its session."""

    tenant: str
    session: str
    at: float
    report: dict[str, Any]


_encode = msgspec.json.Encoder().encode
_decode_entry = msgspec.json.Decoder(_Entry).decode


class RedisSessions:
    """Implements `Sessions`. The times in its answers are seconds since the epoch, by the clock handed in."""

    def __init__(self, store: StateStore, ttl_seconds: int, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._ttl = ttl_seconds
        self._now = now

    async def record(self, tenant: str, record: RequestRecord) -> None:
        """Add one request to its session and make it the tenant's latest."""
        now = self._now()

        async def write(client: Redis) -> None:
            async with client.pipeline(transaction=False) as pipe:
                self._write_session(pipe, tenant, record, now)
                self._write_index(pipe, tenant, record.session, now)
                if record.parent is not None and record.parent != record.session:
                    self._write_child(pipe, tenant, record.parent, record.session, now)
                await answers(pipe)

        await self._store.run("record", write)

    async def get(self, tenant: str, session: str) -> dict[str, Any] | None:
        """One session with its totals, children and requests, latest first; None if unknown."""

        async def read(client: Redis) -> dict[str, Any] | None:
            async with client.pipeline(transaction=False) as pipe:
                pipe.hgetall(session_key(tenant, session, "record"))
                pipe.lrange(session_key(tenant, session, "log"), 0, _REQUESTS - 1)
                pipe.zrevrange(session_key(tenant, session, "children"), 0, _CHILDREN - 1)
                fields, requests, children = await answers(pipe)
            if not fields:
                return None
            return {
                **_summary(tenant, session, fields),
                "children": [_text(child) for child in children],
                "requests": [_request(tenant, session, raw) for raw in requests],
            }

        return await self._store.run("get", read)

    async def erase(self, tenant: str, session: str) -> bool:
        """Forget the session, also as its parent's child and in the index; whether there was one."""
        record = session_key(tenant, session, "record")

        async def remove(client: Redis) -> bool:
            async with client.pipeline(transaction=False) as pipe:
                pipe.hget(record, "parent")
                pipe.delete(record, session_key(tenant, session, "log"), session_key(tenant, session, "children"))
                pipe.zrem(tenant_key(tenant, "sessions"), session)
                parent, *counts = await pipe.execute(raise_on_error=False)
            erased, listed = checked(counts)
            if isinstance(parent, bytes) and parent:  # what was no record of ours has gone all the same
                await client.zrem(session_key(tenant, _text(parent), "children"), session)
            return bool(erased or listed)

        return await self._store.run("erase", remove)

    async def list(self, tenant: str, limit: int = 100) -> list[dict[str, Any]]:
        """The tenant's sessions, latest first, without their requests."""
        index = tenant_key(tenant, "sessions")
        last = max(1, min(limit, _LONGEST_LIST)) - 1

        async def read(client: Redis) -> list[dict[str, Any]]:
            async with client.pipeline(transaction=False) as pipe:
                pipe.zrevrange(index, 0, last)
                names = [_text(raw) for raw in (await answers(pipe))[0]]
                for name in names:
                    pipe.hgetall(session_key(tenant, name, "record"))
                found = dict(zip(names, await answers(pipe), strict=True))
            gone = [name for name, fields in found.items() if not fields]
            if gone:
                await client.zrem(index, *gone)
            return [_summary(tenant, name, fields) for name, fields in found.items() if fields]

        return await self._store.run("list", read)

    def _write_session(self, pipe: Pipeline, tenant: str, record: RequestRecord, now: float) -> None:
        key, log = (session_key(tenant, record.session, part) for part in ("record", "log"))
        pipe.hset(
            key,
            mapping={
                "tenant": tenant,
                "session": record.session,
                "parent": record.parent or "",
                "model": record.model,
                "policy": record.policy,
                "updated": now,
            },
        )
        pipe.hsetnx(key, "created", str(now))
        for name, amount in record.added.items():
            # for integers too: the same total may grow by 0 and later by 0.5, which HINCRBY would refuse
            pipe.hincrbyfloat(key, _TOTAL + name, amount)
        pipe.expire(key, self._ttl)
        pipe.lpush(log, _entry(tenant, record, now))
        pipe.ltrim(log, 0, _REQUESTS - 1)
        pipe.expire(log, self._ttl)

    def _write_index(self, pipe: Pipeline, tenant: str, session: str, now: float) -> None:
        """A bounded index: what expired or is beyond the bound leaves with each new record."""
        index = tenant_key(tenant, "sessions")
        pipe.zadd(index, {session: now})
        pipe.zremrangebyscore(index, "-inf", now - self._ttl)
        pipe.zremrangebyrank(index, 0, -_SESSIONS - 1)
        pipe.expire(index, self._ttl)

    def _write_child(self, pipe: Pipeline, tenant: str, parent: str, child: str, now: float) -> None:
        children = session_key(tenant, parent, "children")
        pipe.zadd(children, {child: now})
        pipe.zremrangebyrank(children, 0, -_CHILDREN - 1)
        pipe.expire(children, self._ttl)


def _entry(tenant: str, record: RequestRecord, now: float) -> bytes:
    """The request for the log. A report over the limit is replaced by its size: figures, not an archive."""
    encoded = _encode(_Entry(tenant, record.session, now, record.report))
    if len(encoded) > _REPORT_BYTES:
        encoded = _encode(_Entry(tenant, record.session, now, {"omitted_bytes": len(encoded)}))
    return encoded


def _request(tenant: str, session: str, raw: bytes) -> dict[str, Any]:
    try:
        entry = _decode_entry(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreError(f"a request record of session {session!r} cannot be read ({error})") from error
    if (entry.tenant, entry.session) != (tenant, session):
        raise StoreError(f"a request record of session {session!r} belongs to another session")
    return {"at": entry.at, "report": entry.report}


def _summary(tenant: str, session: str, raw: Mapping[bytes, bytes]) -> dict[str, Any]:
    fields = {_text(name): _text(value) for name, value in raw.items()}
    if (fields.get("tenant"), fields.get("session")) != (tenant, session):
        raise StoreError(f"the record of session {session!r} belongs to another session")
    try:
        return {
            "session": session,
            "parent": fields["parent"] or None,
            "model": fields["model"],
            "policy": fields["policy"],
            "created": float(fields["created"]),
            "updated": float(fields["updated"]),
            "totals": {
                name.removeprefix(_TOTAL): _number(value)
                for name, value in sorted(fields.items())
                if name.startswith(_TOTAL)
            },
        }
    except (KeyError, ValueError) as error:
        raise StoreError(f"the record of session {session!r} cannot be read ({error})") from error


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise StoreError("the state store holds a name or value that is not text") from error
