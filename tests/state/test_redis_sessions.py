"""Session records, against a real server. Another implementation of `Sessions` would be added to `sessions`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from redis.asyncio import Redis

from proxy.errors import StoreError
from proxy.state import RequestRecord, Sessions
from proxy.state.keys import session_key, tenant_key
from proxy.state.redis import StateStore
from proxy.state.sessions import RedisSessions

TTL = 1000


class Clock:
    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(store: StateStore, clock: Clock) -> Sessions:
    return RedisSessions(store, TTL, now=clock)


def request(session: str = "s1", parent: str | None = None, **added: float) -> RequestRecord:
    return RequestRecord(session, parent, "gpt-5", "coding", {"received": 10, "edits": [{"by": "drop"}]}, added)


async def keys(store: StateStore) -> dict[str, int]:
    """Every key with its seconds to live."""

    async def read(client: Redis) -> dict[str, int]:
        return {str(key, "ascii"): await client.ttl(key) for key in map(bytes, await client.keys())}  # type: ignore[arg-type]

    return await store.run("keys", read)


async def test_an_unknown_session_is_none(sessions: Sessions) -> None:
    assert await sessions.get("team", "s1") is None
    assert await sessions.list("team") == []
    assert not await sessions.erase("team", "s1")


async def test_a_recorded_request_is_found(sessions: Sessions, clock: Clock) -> None:
    await sessions.record("team", request(requests=1, input_tokens=12, cost=0.25))
    assert await sessions.get("team", "s1") == {
        "session": "s1",
        "parent": None,
        "model": "gpt-5",
        "policy": "coding",
        "created": clock.time,
        "updated": clock.time,
        "totals": {"cost": 0.25, "input_tokens": 12, "requests": 1},
        "children": [],
        "requests": [{"at": clock.time, "report": {"received": 10, "edits": [{"by": "drop"}]}}],
    }


async def test_totals_add_up(sessions: Sessions) -> None:
    for cost in (0, 0.1, 0.2):
        await sessions.record("team", request(requests=1, tokens=10**12, cost=cost))
    found = await sessions.get("team", "s1")
    assert found is not None
    assert found["totals"] == {"requests": 3, "tokens": 3 * 10**12, "cost": pytest.approx(0.3)}
    assert isinstance(found["totals"]["tokens"], int)


async def test_parallel_requests_of_a_session_lose_no_count(sessions: Sessions) -> None:
    await asyncio.gather(*(sessions.record("team", request(requests=1)) for _ in range(200)))
    found = await sessions.get("team", "s1")
    assert found is not None
    assert found["totals"] == {"requests": 200}


async def test_the_latest_request_decides_model_and_time_the_first_one_the_creation(
    sessions: Sessions, clock: Clock
) -> None:
    start = clock.time
    await sessions.record("team", request())
    clock.time += 60
    await sessions.record("team", RequestRecord("s1", None, "o3", "chat", {}, {}))
    found = await sessions.get("team", "s1")
    assert found is not None
    assert (found["model"], found["policy"]) == ("o3", "chat")
    assert (found["created"], found["updated"]) == (start, start + 60)


async def test_the_log_keeps_the_latest_fifty_latest_first(sessions: Sessions) -> None:
    for number in range(60):
        await sessions.record("team", RequestRecord("s1", None, "m", "p", {"number": number}, {}))
    found = await sessions.get("team", "s1")
    assert found is not None
    assert [entry["report"]["number"] for entry in found["requests"]] == list(range(59, 9, -1))


async def test_a_huge_report_is_not_kept(sessions: Sessions) -> None:
    await sessions.record("team", RequestRecord("s1", None, "m", "p", {"text": "x" * 100_000}, {"requests": 1}))
    found = await sessions.get("team", "s1")
    assert found is not None
    assert found["requests"][0]["report"].keys() == {"omitted_bytes"}
    assert found["totals"] == {"requests": 1}


async def test_children_are_listed_with_their_parent(sessions: Sessions, clock: Clock) -> None:
    await sessions.record("team", request("parent"))
    for child in ("c1", "c2", "c1"):
        clock.time += 1
        await sessions.record("team", request(child, parent="parent"))
    found = await sessions.get("team", "parent")
    one = await sessions.get("team", "c1")
    assert found is not None
    assert one is not None
    assert (found["children"], one["parent"]) == (["c1", "c2"], "parent")


async def test_a_session_is_not_its_own_child(sessions: Sessions) -> None:
    await sessions.record("team", request("s1", parent="s1"))
    found = await sessions.get("team", "s1")
    assert found is not None
    assert found["children"] == []


async def test_the_list_is_latest_first_and_limited(sessions: Sessions, clock: Clock) -> None:
    for name in ("s1", "s2", "s3", "s1"):
        clock.time += 1
        await sessions.record("team", request(name, requests=1))
    assert [entry["session"] for entry in await sessions.list("team")] == ["s1", "s3", "s2"]
    assert [entry["session"] for entry in await sessions.list("team", limit=2)] == ["s1", "s3"]
    assert (await sessions.list("team"))[0]["totals"] == {"requests": 2}


async def test_expired_sessions_leave_the_index(sessions: Sessions, store: StateStore, clock: Clock) -> None:
    await sessions.record("team", request("old"))
    clock.time += TTL + 1
    await sessions.record("team", request("new"))
    assert [entry["session"] for entry in await sessions.list("team")] == ["new"]


async def test_a_session_whose_record_is_gone_leaves_the_list(sessions: Sessions, store: StateStore) -> None:
    await sessions.record("team", request("s1"))
    await sessions.record("team", request("s2"))
    await store.run("evict", lambda client: client.delete(session_key("team", "s1", "record")))
    assert [entry["session"] for entry in await sessions.list("team")] == ["s2"]
    assert await store.run("count", lambda client: client.zcard(tenant_key("team", "sessions"))) == 1


async def test_every_key_has_its_time_to_live_renewed_by_use(sessions: Sessions, store: StateStore) -> None:
    await sessions.record("team", request("s1", parent="p"))
    for key in await keys(store):
        await store.run("age", lambda client, key=key: client.expire(key, 5))  # type: ignore[misc]
    await sessions.record("team", request("s1", parent="p"))
    lives = await keys(store)
    assert len(lives) == 4
    assert all(TTL - 10 < life <= TTL for life in lives.values())


async def test_keys_of_a_session_share_a_hash_slot_and_all_carry_the_tenant(
    sessions: Sessions, store: StateStore
) -> None:
    await sessions.record("team", request("s1", parent="s0"))
    await sessions.record("team", request("s2", parent="s1"))
    names = list(await keys(store))
    of_session = [name for name in names if "s1" in name.partition("}")[0]]
    slots = {await store.run("slot", lambda client, n=n: client.cluster("KEYSLOT", n)) for n in of_session}  # type: ignore[misc]
    assert (len(of_session), len(slots)) == (3, 1)
    assert all(name.startswith("forebay:{team") for name in names)


async def test_erasing_leaves_no_key_and_no_mention(sessions: Sessions, store: StateStore) -> None:
    await sessions.record("team", request("parent"))
    await sessions.record("team", request("s1", parent="parent"))
    await sessions.record("team", request("child", parent="s1"))
    assert await sessions.erase("team", "s1")
    assert await sessions.get("team", "s1") is None
    parent = await sessions.get("team", "parent")
    assert parent is not None
    assert parent["children"] == []
    assert not [name for name in await keys(store) if "s1" in name]
    assert not await sessions.erase("team", "s1")


@pytest.mark.parametrize("other", ["team-b", "TEAM", "team/s1", "", "team}", "{team}", "*", "te?m"])
async def test_another_tenant_finds_and_erases_nothing(sessions: Sessions, other: str) -> None:
    await sessions.record("team", request("s1"))
    assert await sessions.get(other, "s1") is None
    assert await sessions.list(other) == []
    assert not await sessions.erase(other, "s1")
    assert await sessions.get("team", "s1") is not None


async def test_a_record_under_the_wrong_key_is_not_given_out(sessions: Sessions, store: StateStore) -> None:
    await sessions.record("team", request("s1"))
    for part in ("record", "log"):
        await store.run(
            "copy",
            lambda client, part=part: client.copy(  # type: ignore[misc]
                session_key("team", "s1", part), session_key("other", "s1", part)
            ),
        )
    with pytest.raises(StoreError, match="another session"):
        await sessions.get("other", "s1")


GARBAGE: dict[str, Any] = {
    "string": lambda client, key: client.set(key, b"\xff\xfe"),
    "list": lambda client, key: client.rpush(key, b"\xff", b"{}", b"null", b'{"tenant": 1}', b"[" * 10_000),
    "hash": lambda client, key: client.hset(key, mapping={b"\xff": b"\xff", "created": "yesterday"}),
    "set": lambda client, key: client.sadd(key, b"\xff"),
    "sorted set": lambda client, key: client.zadd(key, {b"\xff": 1}),
}


@pytest.mark.parametrize("kind", GARBAGE)
@pytest.mark.parametrize("part", ["record", "log", "children"])
async def test_garbage_in_a_session_is_a_store_error_and_can_be_erased(
    sessions: Sessions, store: StateStore, kind: str, part: str
) -> None:
    await sessions.record("team", request("s1"))
    key = session_key("team", "s1", part)
    await store.run("drop", lambda client: client.delete(key))
    await store.run("plant", lambda client: GARBAGE[kind](client, key))
    with pytest.raises(StoreError):
        await sessions.get("team", "s1")
    assert store.available
    assert await sessions.erase("team", "s1")
    assert await sessions.get("team", "s1") is None


@pytest.mark.parametrize("kind", GARBAGE)
async def test_garbage_in_the_index_is_a_store_error(sessions: Sessions, store: StateStore, kind: str) -> None:
    await store.run("plant", lambda client: GARBAGE[kind](client, tenant_key("team", "sessions")))
    with pytest.raises(StoreError):
        await sessions.list("team")


@pytest.mark.parametrize("total", ["many", "", "1e", "\xff"])
async def test_a_garbled_total_is_a_store_error(sessions: Sessions, store: StateStore, total: str) -> None:
    await sessions.record("team", request("s1"))
    key = session_key("team", "s1", "record")
    await store.run("plant", lambda client: client.hset(key, "total:tokens", total.encode("latin-1")))
    for attempt in (sessions.get("team", "s1"), sessions.list("team"), sessions.record("team", request(tokens=1))):
        with pytest.raises(StoreError):
            await attempt


async def test_no_command_scans_the_keys(sessions: Sessions, store: StateStore) -> None:
    await store.run("reset", lambda client: client.config_resetstat())
    await sessions.record("team", request("s1", parent="p", requests=1))
    await sessions.list("team")
    await sessions.get("team", "s1")
    await sessions.erase("team", "s1")
    used = await store.run("stats", lambda client: client.info("commandstats"))
    assert "cmdstat_hset" in used
    assert not {"cmdstat_keys", "cmdstat_scan"} & used.keys()
