"""Bodies: bounded as sent, inflated and together; what cannot be read is refused in words, never with a 500."""

from __future__ import annotations

import asyncio
import gzip
import io
import sys
import zlib

import pytest
from aiohttp import web
from yarl import URL

from proxy.http.bodies import MIB, Bodies
from proxy.http.body import read_json_body
from tests.http.http_builders import KEY_A, World, client_of, serving

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHAT = "/v1/chat/completions"
TEXT = b'{"text": "' + b"a log line, again and again\\n" * 20_000 + b'"}'
BARE_DEFLATE = zlib.compress(TEXT)[2:-4]


async def posted(data, world=None, **headers):
    """Status, and the length that the handler read or the error's code."""
    headers = {"content-type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    data = io.BytesIO(data) if isinstance(data, bytes) else data
    async with client_of(world or World()) as client, client.post(CHAT, data=data, headers=headers) as answer:
        body = await answer.json()
        return answer.status, body.get("bytes") or body.get("error", {}).get("code")


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("GZIP", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:1000]) + gzip.compress(TEXT[1000:])),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", BARE_DEFLATE),
        ("zstd", zstd.compress(TEXT)),
        ("zstd", zstd.compress(TEXT[:1000]) + zstd.compress(TEXT[1000:])),
    ],
)
async def test_a_body_is_read_whole_in_every_encoding(encoding, data):
    assert await posted(data, content_encoding=encoding) == (200, len(TEXT))


@pytest.mark.parametrize("encoding", ["br", "compress", "gzip, zstd", "rot13"])
async def test_an_unknown_encoding_is_415(encoding):
    assert await posted(b"x", content_encoding=encoding) == (415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("gzip", b"not gzip"),
        ("gzip", gzip.compress(TEXT)[:-20]),
        ("gzip", gzip.compress(TEXT) + b"junk"),
        ("deflate", b"not deflate"),
        ("deflate", zlib.compress(TEXT)[:-20]),
        ("zstd", b"not zstd"),
        ("zstd", zstd.compress(TEXT)[:-2]),
    ],
)
async def test_a_broken_or_cut_body_is_400_and_leaves_no_traceback(encoding, data, caplog):
    assert await posted(data, content_encoding=encoding) == (400, "invalid_request_error")
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("data", [b"x" * (MIB + 1), gzip.compress(b"x" * (MIB + 1)), zstd.compress(b"x" * 50 * MIB)])
async def test_a_body_over_the_limit_is_413_as_sent_or_inflated(data):
    encoding = "identity" if len(data) > MIB else "gzip" if data[:2] == b"\x1f\x8b" else "zstd"
    assert await posted(data, content_encoding=encoding) == (413, "request_too_large")


async def test_a_body_without_a_length_is_bounded_too():
    async def chunks():
        for _ in range(20):
            yield b"x" * 100_000

    assert await posted(chunks()) == (413, "request_too_large")


@pytest.mark.parametrize("chunks", [b"zz\r\n", b'5\r\n{"a":zz\r\n'])
async def test_chunks_that_are_none_are_400(chunks):
    head = f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY_A}\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with serving(World().app()) as address:
        reader, writer = await asyncio.open_connection("127.0.0.1", URL(address).port)
        writer.write(head.encode())
        await writer.drain()
        writer.write(chunks)
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
    assert answer.split()[1] == b"400"


async def test_a_bomb_takes_no_more_room_than_one_body():
    class Watched(Bodies):
        most = 0

        def take(self, size):
            super().take(size)
            self.most = max(self.most, self.held)

    bodies = Watched(1, 1024)
    await posted(zstd.compress(b"x" * 50 * MIB), World(bodies=bodies), content_encoding="zstd")
    assert bodies.most <= 2 * MIB


async def test_bodies_in_flight_share_their_room_and_one_too_many_is_503():
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def handler(request: web.Request) -> web.Response:
        await read_json_body(request)
        arrived.set()
        await go_on.wait()
        return web.Response()

    world = World(handler=handler, bodies=Bodies(1, 1))
    body = b"x" * (MIB * 6 // 10)
    headers = {"content-type": "application/json"}
    async with client_of(world) as client:
        first = asyncio.create_task(client.post(CHAT, data=body, headers=headers))
        await arrived.wait()
        async with client.post(CHAT, data=body, headers=headers) as refused:
            code = (await refused.json())["error"]["code"]
        go_on.set()
        assert (await first).status == 200
    assert (refused.status, refused.headers["retry-after"], code) == (503, "1", "overloaded")


async def test_what_a_body_inflates_to_counts_in_the_shared_room():
    data = gzip.compress(b"x" * (MIB * 3 // 2))
    assert await posted(data, World(bodies=Bodies(2, 1)), content_encoding="gzip") == (503, "overloaded")


@pytest.mark.parametrize(
    "data", [b"x" * 1000, gzip.compress(b"x" * 1000), b"x" * (MIB + 1)], ids=["plain", "gzip", "too large"]
)
async def test_the_room_is_given_back_when_the_request_ends(data):
    world = World()
    encoding = "gzip" if data[:2] == b"\x1f\x8b" else "identity"
    await posted(data, world, content_encoding=encoding)
    assert world.bodies.held == 0


async def test_the_room_is_given_back_when_the_client_leaves_while_sending():
    arrived = asyncio.Event()

    async def chunks():
        yield b"x" * 1000
        arrived.set()
        await asyncio.Event().wait()

    world = World()
    async with client_of(world) as client:
        task = asyncio.create_task(client.post(CHAT, data=chunks(), headers={"content-type": "application/json"}))
        await arrived.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert world.bodies.held == 0


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "application/vnd.x+json", "APPLICATION/JSON"]
)
async def test_what_says_it_is_json_is_read(content_type):
    assert await posted(b"{}", content_type=content_type) == (200, 2)


async def test_a_missing_content_type_is_taken_for_json():
    async with (
        client_of(World()) as client,
        client.post(CHAT, data=b"{}", skip_auto_headers=["content-type"]) as answer,
    ):
        assert (await answer.json())["bytes"] == 2


@pytest.mark.parametrize("content_type", ["text/plain", "multipart/form-data; boundary=x", "application/x-json"])
async def test_another_content_type_is_415(content_type):
    assert await posted(b"{}", content_type=content_type) == (415, "unsupported_media_type")


async def test_a_header_of_60_kilobytes_is_read():
    assert await posted(b"{}", x_trace="t" * 60_000) == (200, 2)


@pytest.fixture
def impatient(monkeypatch):
    """Limits short enough to wait for."""
    monkeypatch.setattr("proxy.http.body.SILENCE_SECONDS", 0.2)
    monkeypatch.setattr("proxy.http.server.IDLE_SECONDS", 0.2)


async def said(head: bytes) -> bytes:
    """Everything that the proxy answers to bytes after which the client falls silent, until it closes."""
    async with serving(World().app()) as address:
        reader, writer = await asyncio.open_connection("127.0.0.1", URL(address).port)
        writer.write(head)
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        await writer.wait_closed()
        return answer


async def test_a_body_that_goes_silent_is_refused_and_its_connection_closed(impatient):
    fields = f"Host: x\r\nAuthorization: Bearer {KEY_A}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
    answer = await said(f"POST {CHAT} HTTP/1.1\r\n{fields}".encode() + b'{"a"')
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"nothing of the request body came for 0.2 s" in answer


async def test_a_head_that_goes_silent_is_closed(impatient):
    assert await said(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-Half: ") == b""
