"""What every implementation of `Artifacts` does. Another one is added to the fixture `store`, nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.artifacts import Artifacts
from proxy.artifacts.bucket import Bucket
from proxy.artifacts.ledger import Caps
from proxy.artifacts.local import LocalArtifacts
from proxy.artifacts.objects import ObjectArtifacts
from proxy.errors import StoreError
from proxy.settings.bucket_address import SCHEME, bucket_address
from tests.object_server import ObjectServer

A, B = "art_aaaaaaaaaaaa", "art_bbbbbbbbbbbb"
MEGABYTE = 1024 * 1024


class Clock:
    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["folder", "object store"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of an empty store."""
    if request.param == "folder":
        return str(tmp_path / "artifacts")
    server: ObjectServer = request.getfixturevalue("objects")
    return server.url(request.getfixturevalue("prefix"))


@pytest.fixture
async def store(address: str, clock: Clock) -> AsyncIterator[Artifacts]:
    """It keeps 1000 seconds, 2 MiB of a session and 3 of a tenant."""
    if not address.startswith(SCHEME):
        yield LocalArtifacts(Path(address), 1000, max_mb_per_session=2, max_mb_per_tenant=3, now=clock)
        return
    artifacts = ObjectArtifacts(Bucket(bucket_address(address)), b"secret", 1000, Caps.of_mb(2, 3), now=clock)
    yield artifacts
    await artifacts.close()


async def test_what_was_put_comes_back_whole(store: Artifacts, clock: Clock) -> None:
    text = "line 1\r\nline 2\u2028é\x00\ud800 end"
    assert await store.put("team", A, "result", text, "s1")
    found = await store.get("team", A)
    assert found is not None
    assert (found.text, found.kind, found.locator, found.sessions) == (text, "result", A, ("s1",))
    assert (found.created, found.expires) == (clock.time, clock.time + 1000)


async def test_an_empty_text_is_an_artifact_too(store: Artifacts) -> None:
    await store.put("team", A, "result", "", "s1")
    found = await store.get("team", A)
    assert found is not None
    assert found.text == ""


async def test_an_unknown_locator_is_none(store: Artifacts) -> None:
    assert await store.get("team", A) is None
    assert not await store.erase("team", A)
    assert await store.usage_bytes("team") == 0


@pytest.mark.parametrize(
    "bad", ["", "../../etc/passwd", "art_AAAAAAAAAAAA", "art_aaaaaaaaaaa1", A + "/", A + "\n", "."]
)
async def test_what_is_no_locator_reaches_no_store(store: Artifacts, bad: str) -> None:
    assert await store.get("team", bad) is None
    assert not await store.erase("team", bad)
    with pytest.raises(StoreError, match="no locator"):
        await store.put("team", bad, "result", "x", "s1")


@pytest.mark.parametrize("other", ["team-b", "TEAM", "..", "../team", "team/", "", ".", "a" * 300, "team\x00"])
async def test_another_tenant_finds_and_erases_nothing(store: Artifacts, other: str) -> None:
    await store.put("team", A, "result", "private", "s1")
    assert await store.get(other, A) is None
    assert not await store.erase(other, A)
    assert await store.erase_session(other, "s1") == 0
    assert await store.usage_bytes(other) == 0
    assert await store.get("team", A) is not None


@pytest.mark.parametrize("odd", ["..", "../..", "", ".hidden", "a/b", "Upper", "x" * 500, "nul\x00", "\ud800"])
async def test_odd_names_of_tenants_and_sessions_keep_their_artifacts(store: Artifacts, odd: str) -> None:
    assert await store.put(odd, A, "result", "text", odd)
    found = await store.get(odd, A)
    assert found is not None
    assert await store.erase_session(odd, odd) == 1


async def test_putting_again_changes_nothing(store: Artifacts) -> None:
    for _ in range(3):
        assert await store.put("team", A, "result", "x" * 1000, "s1")
    once = await store.usage_bytes("team")
    await store.put("team", B, "result", "x" * 1000, "s1")
    assert await store.usage_bytes("team") == 2 * once


async def test_sessions_that_refer_to_it_are_named(store: Artifacts) -> None:
    for session in ("s2", "s1", "s2"):
        await store.put("team", A, "result", "x", session)
    found = await store.get("team", A)
    assert found is not None
    assert found.sessions == ("s1", "s2")


async def test_it_expires(store: Artifacts, clock: Clock) -> None:
    await store.put("team", A, "result", "x", "s1")
    clock.time += 1000
    assert await store.get("team", A) is None
    assert not await store.erase("team", A)


@pytest.mark.parametrize("use", ["get", "put"])
async def test_use_refreshes_its_time_to_live(store: Artifacts, clock: Clock, use: str) -> None:
    await store.put("team", A, "result", "x", "s1")
    for _ in range(5):
        clock.time += 900
        used = await (store.get("team", A) if use == "get" else store.put("team", A, "result", "x", "s1"))
        assert used
    found = await store.get("team", A)
    assert found is not None
    assert found.expires > clock.time + 900


async def test_an_expired_one_can_be_put_again(store: Artifacts, clock: Clock) -> None:
    await store.put("team", A, "result", "x", "s1")
    clock.time += 5000
    assert await store.put("team", A, "result", "x", "s1")
    assert await store.get("team", A) is not None


async def test_over_the_session_cap_new_ones_are_not_stored_and_old_ones_stay(store: Artifacts) -> None:
    assert await store.put("team", A, "result", "x" * int(1.5 * MEGABYTE), "s1")
    assert not await store.put("team", B, "result", "x" * MEGABYTE, "s1")
    assert await store.get("team", B) is None
    assert await store.get("team", A) is not None
    assert await store.put("team", B, "result", "x" * MEGABYTE, "s2")


async def test_over_the_tenant_cap_new_ones_are_not_stored(store: Artifacts) -> None:
    assert await store.put("team", A, "result", "x" * int(1.6 * MEGABYTE), "s1")
    assert not await store.put("team", B, "result", "x" * int(1.6 * MEGABYTE), "s2")
    assert await store.put("other", B, "result", "x" * int(1.6 * MEGABYTE), "s2")


async def test_erasing_makes_room(store: Artifacts) -> None:
    await store.put("team", A, "result", "x" * int(1.9 * MEGABYTE), "s1")
    assert not await store.put("team", B, "result", "x" * int(1.9 * MEGABYTE), "s1")
    assert await store.erase("team", A)
    assert await store.get("team", A) is None
    assert await store.usage_bytes("team") == 0
    assert await store.put("team", B, "result", "x" * int(1.9 * MEGABYTE), "s1")


async def test_erasing_a_session_spares_what_another_refers_to(store: Artifacts) -> None:
    await store.put("team", A, "result", "shared", "s1")
    await store.put("team", A, "result", "shared", "s2")
    await store.put("team", B, "result", "own", "s1")
    assert await store.erase_session("team", "s1") == 1
    assert await store.get("team", B) is None
    found = await store.get("team", A)
    assert found is not None
    assert found.sessions == ("s2",)
    assert await store.erase_session("team", "s2") == 1
    assert await store.get("team", A) is None


async def test_many_at_once_all_succeed(store: Artifacts) -> None:
    puts = [store.put("team", A if i % 2 else B, "result", "ab"[i % 2], f"s{i % 7}") for i in range(100)]
    assert all(await asyncio.gather(*puts))
    found = await store.get("team", A)
    assert found is not None
    assert (found.text, len(found.sessions)) == ("b", 7)
