"""Session records in Redis: what a tenant's sessions did, for reports.

Per session one hash (who it is and its totals), one list (the latest requests), one sorted set of its children, and
one of its histories with a hash of their counts; per tenant one sorted set of its sessions by time. Every write sets
the time to live of the keys that it touched in the same pipeline. No transaction: a half-written record costs
figures, nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from proxy.state import RequestRecord
from proxy.state.family import Member, family
from proxy.state.keys import session_key, tenant_key
from proxy.state.redis import StateStore, answers, checked
from proxy.state.stored import TOTAL, entry, histories, only_a_parent, request, summary, text

_REQUESTS = 50
_CHILDREN = 1_000
_CHILDREN_TOLD = 100
_HISTORIES = 50
_SESSIONS = 10_000
_LONGEST_LIST = 1_000
_PARTS = ("record", "log", "children", "histories", "history_counts")


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
                pipe.zcard(session_key(tenant, record.session, "histories"))
                *_, known = await answers(pipe)
            if known > _HISTORIES:
                await _forget_histories(client, tenant, record.session, known - _HISTORIES)

        await self._store.run("record", write)

    async def get(self, tenant: str, session: str) -> dict[str, Any] | None:
        """One session with its totals, also those with its children, and, latest first, children, histories and
        requests; None if unknown."""
        found = await self._store.run("get", partial(_read, tenant, session))
        if found is None:
            return None
        told, children = found
        whole = await family(session, Member(told["totals"], children), partial(self._members, tenant))
        return {
            **told,
            "totals_with_children": dict(sorted(whole.totals.items())),
            "descendants": {"counted": whole.descendants, "whole": whole.is_whole},
        }

    async def _members(self, tenant: str, sessions: Sequence[str]) -> list[Member | None]:
        async def read(client: Redis) -> list[Any]:
            async with client.pipeline(transaction=False) as pipe:
                for session in sessions:
                    pipe.hgetall(session_key(tenant, session, "record"))
                    pipe.zrevrange(session_key(tenant, session, "children"), 0, -1)
                return await answers(pipe)

        found = await self._store.run("get", read)
        return [
            Member(summary(tenant, session, fields)["totals"] if fields else {}, [text(child) for child in children])
            if fields or children
            else None
            for session, fields, children in zip(sessions, found[::2], found[1::2], strict=True)
        ]

    async def erase(self, tenant: str, session: str) -> bool:
        """Forget the session, also as its parent's child and in the index; whether there was one."""
        record = session_key(tenant, session, "record")

        async def remove(client: Redis) -> bool:
            async with client.pipeline(transaction=False) as pipe:
                pipe.hget(record, "parent")
                pipe.delete(*(session_key(tenant, session, part) for part in _PARTS))
                pipe.zrem(tenant_key(tenant, "sessions"), session)
                parent, *counts = await pipe.execute(raise_on_error=False)
            erased, listed = checked(counts)
            if isinstance(parent, bytes) and parent:  # what was no record of ours has gone all the same
                await client.zrem(session_key(tenant, text(parent), "children"), session)
            return bool(erased or listed)

        return await self._store.run("erase", remove)

    async def list(self, tenant: str, limit: int = 100) -> list[dict[str, Any]]:
        """The tenant's sessions, latest first, without their requests."""
        index = tenant_key(tenant, "sessions")
        last = max(1, min(limit, _LONGEST_LIST)) - 1

        async def read(client: Redis) -> list[dict[str, Any]]:
            async with client.pipeline(transaction=False) as pipe:
                pipe.zrevrange(index, 0, last)
                names = [text(raw) for raw in (await answers(pipe))[0]]
                for name in names:
                    pipe.hgetall(session_key(tenant, name, "record"))
                found = dict(zip(names, await answers(pipe), strict=True))
            gone = [name for name, fields in found.items() if not fields]
            if gone:
                await client.zrem(index, *gone)
            return [summary(tenant, name, fields) for name, fields in found.items() if fields]

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
            pipe.hincrbyfloat(key, TOTAL + name, amount)
        pipe.expire(key, self._ttl)
        pipe.lpush(log, entry(tenant, record, now))
        pipe.ltrim(log, 0, _REQUESTS - 1)
        pipe.expire(log, self._ttl)
        if record.history is not None:
            self._write_history(pipe, tenant, record.session, record.history, now)

    def _write_history(self, pipe: Pipeline, tenant: str, session: str, history: str, now: float) -> None:
        times, counts = (session_key(tenant, session, part) for part in ("histories", "history_counts"))
        pipe.zadd(times, {history: now})
        pipe.hincrby(counts, history, 1)
        pipe.expire(times, self._ttl)
        pipe.expire(counts, self._ttl)

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


async def _forget_histories(client: Redis, tenant: str, session: str, surplus: int) -> None:
    """The oldest go: a client that writes the time into its system text has a new history with each request."""
    times, counts = (session_key(tenant, session, part) for part in ("histories", "history_counts"))
    popped: Any = await client.zpopmin(times, surplus)
    if popped:
        await client.hdel(counts, *(name for name, _ in popped))


async def _read(tenant: str, session: str, client: Redis) -> tuple[dict[str, Any], list[str]] | None:
    """What is told of a session itself, and all its children."""
    async with client.pipeline(transaction=False) as pipe:
        pipe.hgetall(session_key(tenant, session, "record"))
        pipe.lrange(session_key(tenant, session, "log"), 0, _REQUESTS - 1)
        pipe.zrevrange(session_key(tenant, session, "children"), 0, -1)
        pipe.zrevrange(session_key(tenant, session, "histories"), 0, -1, withscores=True)
        pipe.hgetall(session_key(tenant, session, "history_counts"))
        fields, requests, raw_children, times, counts = await answers(pipe)
    if not fields and not raw_children:
        return None
    children = [text(child) for child in raw_children]
    told = {
        **(summary(tenant, session, fields) if fields else only_a_parent(session)),
        "children": children[:_CHILDREN_TOLD],
        "histories": histories(times, counts),
        "requests": [request(tenant, session, raw) for raw in requests],
    }
    return told, children
