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


ONE_SERVER = pytest.mark.parametrize("store", ["server"], indirect=True)
"""For what looks into the store in a way that a cluster does not offer."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(store: StateStore, clock: Clock) -> Sessions:
    return RedisSessions(store, TTL, now=clock)


def request(session: str = "s1", parent: str | None = None, **added: float) -> RequestRecord:
    return RequestRecord(session, parent, "gpt-5", "coding", {"received": 10, "edits": [{"by": "drop"}]}, added)


def of_history(history: str, session: str = "s1") -> RequestRecord:
    return RequestRecord(session, None, "m", "p", {}, {"requests": 1}, history)


async def told(sessions: Sessions, session: str) -> dict[str, Any]:
    found = await sessions.get("team", session)
    assert found is not None
    return found


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
        "totals_with_children": {"cost": 0.25, "input_tokens": 12, "requests": 1},
        "descendants": {"counted": 0, "whole": True},
        "children": [],
        "histories": [],
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


async def test_totals_are_rolled_up_over_children_and_grandchildren(sessions: Sessions) -> None:
    await sessions.record("team", request("top", requests=1, cost=0.5))
    await sessions.record("team", request("child", parent="top", requests=1, cost=0.25))
    await sessions.record("team", request("other", parent="top", requests=2))
    await sessions.record("team", request("grandchild", parent="child", requests=1, output_tokens=7))
    top = await told(sessions, "top")
    assert top["totals"] == {"requests": 1, "cost": 0.5}
    assert top["totals_with_children"] == {"requests": 5, "cost": 0.75, "output_tokens": 7}
    assert top["descendants"] == {"counted": 3, "whole": True}
    assert (await told(sessions, "child"))["totals_with_children"] == {"requests": 2, "cost": 0.25, "output_tokens": 7}


async def test_sessions_that_name_each_other_as_parent_count_once(sessions: Sessions) -> None:
    await sessions.record("team", request("a", parent="b", requests=1))
    await sessions.record("team", request("b", parent="a", requests=10))
    await sessions.record("team", request("c", parent="b", requests=100))
    for name in ("a", "b"):
        assert (await told(sessions, name))["totals_with_children"] == {"requests": 111}


async def test_a_child_that_has_expired_is_passed_over(sessions: Sessions, store: StateStore) -> None:
    await sessions.record("team", request("top", requests=1))
    await sessions.record("team", request("gone", parent="top", requests=1))
    await store.run("evict", lambda client: client.delete(session_key("team", "gone", "record")))
    top = await told(sessions, "top")
    assert (top["totals_with_children"], top["descendants"]) == ({"requests": 1}, {"counted": 0, "whole": True})


async def test_of_many_children_a_hundred_are_told_and_all_are_counted(sessions: Sessions) -> None:
    await sessions.record("team", request("top", requests=1))
    await asyncio.gather(*(sessions.record("team", request(f"c{n}", parent="top", requests=1)) for n in range(250)))
    top = await told(sessions, "top")
    assert len(top["children"]) == 100
    assert top["totals_with_children"] == {"requests": 251}


async def test_a_parent_without_requests_of_its_own_is_told_by_its_children(sessions: Sessions) -> None:
    await sessions.record("team", request("child", parent="top", requests=3))
    top = await told(sessions, "top")
    assert (top["session"], top["totals"], top["children"]) == ("top", {}, ["child"])
    assert top["totals_with_children"] == {"requests": 3}
    assert top["model"] is top["updated"] is None


async def test_the_histories_of_a_session_are_told_apart(sessions: Sessions, clock: Clock) -> None:
    for history in ("main", "title", "main"):
        clock.time += 1
        await sessions.record("team", of_history(history))
    assert (await told(sessions, "s1"))["histories"] == [
        {"history": "main", "requests": 2, "updated": clock.time},
        {"history": "title", "requests": 1, "updated": clock.time - 1},
    ]


async def test_only_the_latest_histories_are_kept(sessions: Sessions, store: StateStore, clock: Clock) -> None:
    for number in range(60):
        clock.time += 1
        await sessions.record("team", of_history(f"h{number}"))
    kept = [each["history"] for each in (await told(sessions, "s1"))["histories"]]
    assert kept == [f"h{number}" for number in range(59, 9, -1)]
    counts = await store.run("count", lambda client: client.hlen(session_key("team", "s1", "history_counts")))
    assert counts == 50


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


@ONE_SERVER
async def test_every_key_has_its_time_to_live_renewed_by_use(sessions: Sessions, store: StateStore) -> None:
    record = RequestRecord("s1", "p", "m", "p", {}, {}, "h")
    await sessions.record("team", record)
    for key in await keys(store):
        await store.run("age", lambda client, key=key: client.expire(key, 5))  # type: ignore[misc]
    await sessions.record("team", record)
    lives = await keys(store)
    assert len(lives) == 6
    assert all(TTL - 10 < life <= TTL for life in lives.values())


@ONE_SERVER
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
    await sessions.record("team", RequestRecord("s1", "parent", "m", "p", {}, {}, "h"))
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


@ONE_SERVER
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
    "hash": lambda client, key: client.hset(key, mapping={b"\xff": b"\xff", "created": "yesterday", "h": "many"}),
    "set": lambda client, key: client.sadd(key, b"\xff"),
    "sorted set": lambda client, key: client.zadd(key, {b"\xff": 1}),
}


@pytest.mark.parametrize("kind", GARBAGE)
@pytest.mark.parametrize("part", ["record", "log", "children", "histories", "history_counts"])
async def test_garbage_in_a_session_is_a_store_error_and_can_be_erased(
    sessions: Sessions, store: StateStore, kind: str, part: str
) -> None:
    await sessions.record("team", of_history("h"))
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


@ONE_SERVER
async def test_no_command_scans_the_keys(sessions: Sessions, store: StateStore) -> None:
    await store.run("reset", lambda client: client.config_resetstat())
    await sessions.record("team", request("s1", parent="p", requests=1))
    await sessions.list("team")
    await sessions.get("team", "s1")
    await sessions.erase("team", "s1")
    used = await store.run("stats", lambda client: client.info("commandstats"))
    assert "cmdstat_hset" in used
    assert not {"cmdstat_keys", "cmdstat_scan"} & used.keys()
