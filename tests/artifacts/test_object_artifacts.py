"""What may happen to an object store: crashes, foreign hands, other replicas, wrong keys, silence."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest

from proxy.artifacts import objects as objects_module
from proxy.artifacts.bucket import Bucket
from proxy.artifacts.ledger import Caps
from proxy.artifacts.object_keys import original_key
from proxy.artifacts.objects import ObjectArtifacts
from proxy.errors import StoreError
from proxy.settings.bucket_address import bucket_address
from tests.object_server import SECRET_KEY, ObjectServer
from tests.silent_server import silent_server

A, B = "art_aaaaaaaaaaaa", "art_bbbbbbbbbbbb"
NOW, TTL = 1_800_000_000.0, 1000
WIDE = Caps.of_mb(64, 64)

Opened = Callable[..., ObjectArtifacts]


@pytest.fixture
def bucket(objects: ObjectServer, prefix: str) -> Bucket:
    return Bucket(bucket_address(objects.url(prefix)))


@pytest.fixture
async def replica(bucket: Bucket) -> AsyncIterator[Opened]:
    """Makes proxies that share the store."""
    made: list[ObjectArtifacts] = []

    def opened(now: float = NOW, secret: bytes = b"secret", caps: Caps = WIDE) -> ObjectArtifacts:
        made.append(ObjectArtifacts(bucket, secret, TTL, caps, now=lambda: now))
        return made[-1]

    yield opened
    for each in made:
        await each.close()


async def keys(bucket: Bucket) -> list[str]:
    return [f"{folder}/{key}" for folder in await bucket.folders() async for key, _ in bucket.list(folder)]


async def test_no_name_of_anybodys_stands_in_a_key(replica: Opened, bucket: Bucket) -> None:
    await replica().put("team-a", A, "result", "the text", "session-of-a-client")
    found = "\n".join(await keys(bucket))
    assert A in found
    assert not [word for word in ("team-a", "session-of-a-client", "the text") if word in found]


async def test_a_key_cannot_be_guessed_without_the_secret(replica: Opened) -> None:
    await replica().put("team", A, "result", "x", "s1")
    assert await replica(secret=b"another").get("team", A) is None


async def test_another_replica_reads_counts_and_erases_what_was_put(replica: Opened, bucket: Bucket) -> None:
    await replica().put("team", A, "result", "x", "s1")
    await replica().put("team", A, "result", "x", "s2")
    other = replica()
    found = await other.get("team", A)
    assert found is not None
    assert (found.text, found.sessions) == ("x", ("s1", "s2"))
    assert await other.usage_bytes("team") > 0
    assert await other.erase("team", A)
    assert await replica().get("team", A) is None
    assert await keys(bucket) == []


async def test_caps_count_what_other_replicas_keep(replica: Opened) -> None:
    caps = Caps(per_session=2000, per_tenant=2000)
    assert await replica(caps=caps).put("team", A, "result", "x" * 1500, "s1")
    assert not await replica(caps=caps).put("team", B, "result", "x" * 1500, "s2")


async def test_what_has_expired_is_swept_when_a_tenant_is_counted(replica: Opened, bucket: Bucket) -> None:
    await replica().put("team", A, "result", "x", "s1")
    later = replica(now=NOW + TTL)
    await later.put("team", B, "result", "x", "s1")
    assert [key for key in await keys(bucket) if A in key] == []
    assert await later.get("team", B) is not None


async def test_a_tenant_that_never_comes_back_is_swept_too(replica: Opened, bucket: Bucket) -> None:
    await replica().put("gone", A, "result", "x", "s1")
    await replica(now=NOW + TTL).usage_bytes("team")
    assert await keys(bucket) == []


async def test_what_a_crash_left_without_its_original_is_unknown_and_swept(replica: Opened, bucket: Bucket) -> None:
    store = replica()
    await store.put("team", A, "result", "x", "s1")
    await bucket.delete([original_key(store._keys.home("team"), A)])
    assert await replica().get("team", A) is None
    assert await replica().usage_bytes("team") == 0
    assert await replica(now=NOW + TTL).usage_bytes("team") == 0
    assert await keys(bucket) == []


async def test_a_damaged_one_is_unknown_and_can_be_put_again(replica: Opened, bucket: Bucket) -> None:
    store = replica()
    await store.put("team", A, "result", "the original", "s1")
    await bucket.put(original_key(store._keys.home("team"), A), b"somebody else's hand")
    assert await store.get("team", A) is None
    assert await store.put("team", A, "result", "the original", "s1")
    found = await store.get("team", A)
    assert found is not None
    assert found.text == "the original"


async def test_use_leaves_one_mark_behind(replica: Opened, bucket: Bucket) -> None:
    await replica().put("team", A, "result", "x", "s1")
    for seconds in (300, 600, 900):
        assert await replica(now=NOW + seconds).get("team", A) is not None
    assert len([key for key in await keys(bucket) if "/used-" in key]) == 1


async def test_a_session_of_many_artifacts_is_erased_whole(replica: Opened, bucket: Bucket) -> None:
    store = replica()
    locators = ["art_" + "".join("abcdefghijklmnop"[int(digit, 16)] for digit in f"{i:012x}") for i in range(60)]
    assert all(await asyncio.gather(*(store.put("team", each, "result", each, "s1") for each in locators)))
    assert await store.erase_session("team", "s1") == 60
    assert await keys(bucket) == []


async def test_more_keys_than_a_page_of_a_listing_holds_are_all_counted(replica: Opened, bucket: Bucket) -> None:
    folder = replica()._keys.home("team")
    names = ["art_" + "".join("abcdefghijklmnop"[int(digit, 16)] for digit in f"{i:012x}") for i in range(1100)]
    for start in range(0, len(names), 100):
        await asyncio.gather(*(bucket.put(original_key(folder, name), b"12345") for name in names[start : start + 100]))
    assert await replica().usage_bytes("team") == 5 * 1100


async def test_wrong_credentials_are_told_without_them(
    objects: ObjectServer, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    bucket = Bucket(bucket_address(objects.url(prefix)))
    with pytest.raises(StoreError, match="InvalidAccessKeyId") as caught:
        await bucket.get("x")
    assert SECRET_KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_store_that_is_not_there_is_told_at_once_and_named(prefix: str) -> None:
    bucket = Bucket(bucket_address(f"s3://originals/{prefix}?endpoint=http://127.0.0.1:1&region=us-east-1"))
    with pytest.raises(StoreError, match=f"s3://originals/{prefix} cannot be used: .*sending request"):
        await bucket.get("x")


async def test_a_store_that_hangs_costs_one_wait(
    objects: ObjectServer, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects_module, "_SECONDS", 0.2)
    async with silent_server() as silent:
        bucket = Bucket(bucket_address(objects.url(prefix, silent.url)))
        store = ObjectArtifacts(bucket, b"secret", TTL, WIDE)
        with pytest.raises(StoreError, match="no answer within"):
            await store.put("team", A, "result", "x", "s1")
        started, asked = time.monotonic(), len(silent.came)
        for _ in range(20):
            with pytest.raises(StoreError, match="hangs"):
                await store.put("team", A, "result", "x", "s1")
            with pytest.raises(StoreError, match="hangs"):
                await store.get("team", A)
        assert time.monotonic() - started < 1, "forty calls that are told at once"
        assert asked > 0
        await store.close()
