"""Bodies as they come: what is refused, what is mended, what is unpacked, what is left to the provider."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from typing import Any

import pytest
from aiohttp import ClientSession

from tests.end_to_end.house import MAX_BODY_MB, UPSTREAM_NAME, Provider, Transport, ask, chat
from tests.scripted_upstream import error

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pytestmark = pytest.mark.asyncio(loop_scope="module")

MESSAGES = '"messages": [{"role": "user", "content": "hi"}]'
GOOD = json.dumps(chat("relay-32000")).encode()
RENAMED = json.dumps(chat(UPSTREAM_NAME)).encode()

BAD_BODIES = {
    "empty": b"",
    "no JSON": b"hello",
    "cut off": GOOD[:-3],
    "more behind it": GOOD + b"{}",
    "a list": b"[]",
    "null": b"null",
    "duplicate key": b'{"model": "relay-32000", "model": "relay-4096", %s}' % MESSAGES.encode(),
    "duplicate key in a message": b'{"model": "relay-32000", "messages": [{"role": "user", "role": "tool"}]}',
    "NaN": b'{"model": "relay-32000", "temperature": NaN, %s}' % MESSAGES.encode(),
    "Infinity in a message": b'{"model": "relay-32000", "messages": [{"role": "user", "content": "a", "w": Infinity}]}',
    "invalid UTF-8": b'{"model": "relay-32000", "messages": [{"role": "user", "content": "\xff"}]}',
    "nested too deeply": b'{"model": "relay-32000", "x": %s}' % (b"[" * 100_000 + b"]" * 100_000),
}
WRONG_TYPES: list[dict[str, Any]] = [
    {"model": None},
    {"model": 7},
    {"model": ["relay-32000"]},
    {"messages": None},
    {"messages": "hi"},
    {"messages": {"role": "user"}},
    {"messages": ["hi"]},
    {"messages": [None]},
    {"messages": [{"content": "no role"}]},
    {"messages": [{"role": 7, "content": "hi"}]},
    {"messages": [{"role": "user", "content": 7}]},
    {"messages": [{"role": "assistant", "tool_calls": "call"}]},
    {"stream": "yes"},
    {"max_tokens": "many"},
]


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
async def test_a_body_with_no_or_more_than_one_reading_is_refused(
    body: bytes, client: ClientSession, provider: Provider
) -> None:
    answer = await ask(client, body)
    assert (answer.status, answer.error["code"]) == (400, "invalid_request_error")
    assert provider.requests == []


@pytest.mark.parametrize("wrong", WRONG_TYPES, ids=json.dumps)
async def test_a_field_of_the_wrong_type_is_refused_by_name(
    wrong: dict[str, Any], client: ClientSession, provider: Provider
) -> None:
    answer = await ask(client, chat("relay-32000") | wrong)
    assert (answer.status, answer.error["code"]) == (400, "invalid_request_error")
    assert next(iter(wrong)) in answer.error["message"]
    assert provider.requests == []


@pytest.mark.parametrize(
    "odd", [{"tools": "read"}, {"messages": [{"role": "user", "content": ["hi"]}]}], ids=json.dumps
)
async def test_what_the_proxy_need_not_understand_is_left_to_the_provider(
    odd: dict[str, Any], client: ClientSession, provider: Provider
) -> None:
    provider.reply(error(400))
    answer = await ask(client, chat("relay-32000") | odd)
    assert answer.error["type"] == "scripted"
    assert provider.only.json == chat(UPSTREAM_NAME) | odd


async def test_a_lone_surrogate_is_mended_and_told(client: ClientSession, provider: Provider) -> None:
    answer = await ask(client, chat("relay-32000", {"role": "user", "content": "half \ud83d an emoji"}))
    assert (answer.status, answer.headers["x-context-degraded"]) == (200, "json")
    assert provider.only.json["messages"][0]["content"] == "half � an emoji"


@pytest.mark.parametrize(
    ("encoding", "sent"),
    [("gzip", gzip.compress(GOOD)), ("deflate", zlib.compress(GOOD)), ("zstd", zstd.compress(GOOD))],
    ids=["gzip", "deflate", "zstd"],
)
async def test_a_packed_body_goes_on_unpacked(
    encoding: str, sent: bytes, client: ClientSession, provider: Provider
) -> None:
    answer = await ask(client, sent, headers={"content-encoding": encoding})
    assert answer.status == 200
    assert provider.only.body == RENAMED
    assert "content-encoding" not in provider.only.headers


async def test_a_packed_body_that_is_broken_is_refused(client: ClientSession, provider: Provider) -> None:
    answer = await ask(client, gzip.compress(GOOD)[:-4], headers={"content-encoding": "gzip"})
    assert (answer.status, answer.error["code"]) == (400, "invalid_request_error")


async def test_an_unknown_packing_is_refused(client: ClientSession, provider: Provider) -> None:
    answer = await ask(client, GOOD, headers={"content-encoding": "snappy"})
    assert (answer.status, answer.error["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("encoding", ["identity", "gzip", "zstd"])
async def test_a_body_too_large_once_unpacked_is_refused(
    encoding: str, client: ClientSession, provider: Provider
) -> None:
    large = b" " * (MAX_BODY_MB * 1024 * 1024) + GOOD
    sent = {"identity": lambda: large, "gzip": lambda: gzip.compress(large, 1), "zstd": lambda: zstd.compress(large)}
    answer = await ask(client, sent[encoding](), headers={"content-encoding": encoding})
    assert (answer.status, answer.error["code"]) == (413, "request_too_large")
    assert provider.requests == []


async def test_a_body_of_several_megabytes_passes(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 3 * 1024 * 1024}}
    answer = await ask(client, chat(f"{transport}-32000", {"role": "user", "content": [picture]}))
    assert answer.status == 200
    assert provider.only.json["messages"][0]["content"] == [picture]


async def test_a_body_that_is_no_json_by_its_type_is_refused(client: ClientSession, provider: Provider) -> None:
    answer = await ask(client, GOOD, headers={"content-type": "text/plain"})
    assert (answer.status, answer.error["code"]) == (415, "unsupported_media_type")
