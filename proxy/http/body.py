"""Reading a request's body: bounded as sent, bounded inflated, bounded over all requests together.

The server runs with `auto_decompress=False` (see `server.py`), so that an encoding we do not read, a broken
body and one that was cut off get a clear answer in our own shape.
"""

from __future__ import annotations

import asyncio

from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestPayloadError

from proxy.errors import RequestError, TooLarge, WrongMedia
from proxy.http import body_log, keys
from proxy.http.bodies import MIB
from proxy.http.inflate import ENCODINGS, BrokenBody, inflated

SILENCE_SECONDS = 60.0
"""How long a client may pause within a body."""


@web.middleware
async def release_body(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Give back, whatever happens, what `read_body` took for this request."""
    try:
        return await handler(request)
    finally:
        request.app[keys.BODIES].give_back(request.get(keys.HELD, 0))


async def read_body(request: web.Request) -> bytes:
    """The body, inflated. It counts towards the cap of bodies in flight until the request ends."""
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity" and encoding not in ENCODINGS:
        raise WrongMedia(f"content-encoding {encoding[:40]!r} is not read here; send gzip, deflate, zstd or none")
    sent = await _as_sent(request)
    body = sent if encoding == "identity" or not sent else await _inflate(request, encoding, sent)
    body_log.took(request, body)
    return body


async def read_json_body(request: web.Request) -> bytes:
    """The body of an endpoint that takes JSON; a missing content type is taken for JSON."""
    content_type = request.headers.get("content-type")
    if content_type is not None and not is_json(content_type):
        raise WrongMedia(f"content-type {content_type[:80]!r} is not read here; send application/json")
    return await read_body(request)


def is_json(content_type: str) -> bool:
    """Whether a content-type header says JSON: application/json or anything with +json."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


async def _as_sent(request: web.Request) -> bytes:
    limit = request.app[keys.BODIES].max_body
    if (request.content_length or 0) > limit:
        raise _too_large(limit)
    chunks: list[bytes] = []
    size = 0
    try:
        while chunk := await _next_chunk(request):
            size += len(chunk)
            if size > limit:
                raise _too_large(limit)
            _hold(request, len(chunk))
            chunks.append(chunk)
    except RequestPayloadError as error:
        raise RequestError("the request body ended before it was complete; send it again") from error
    return b"".join(chunks)


async def _next_chunk(request: web.Request) -> bytes:
    """What has come of the body; empty at its end. RequestError, and the connection closed, where nothing comes."""
    try:
        async with asyncio.timeout(SILENCE_SECONDS) as limit:
            return await request.content.readany()
    except TimeoutError:
        if not limit.expired():
            raise
        message = f"nothing of the request body came for {SILENCE_SECONDS:g} s; send it again, without a pause"
        raise RequestError(message) from None


async def _inflate(request: web.Request, encoding: str, sent: bytes) -> bytes:
    limit = request.app[keys.BODIES].max_body
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in inflated(encoding, sent):
            size += len(piece)
            if size > limit:
                raise _too_large(limit)
            _hold(request, len(piece))
            pieces.append(piece)
            await asyncio.sleep(0)  # other requests go on between the pieces
    except BrokenBody as error:
        raise RequestError(f"the request body is not whole {encoding}; send it again") from error
    return b"".join(pieces)


def _hold(request: web.Request, size: int) -> None:
    request.app[keys.BODIES].take(size)
    request[keys.HELD] = request.get(keys.HELD, 0) + size


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"the request body exceeds {limit // MIB} MiB; send less, or raise server.max_body_mb")
