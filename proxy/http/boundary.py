"""The error boundary: whatever goes wrong becomes one answer in OpenAI's shape, and one line in the log.

One of the three places of the project that catch `Exception`. What is caught here is counted as the
request's status by the access middleware around it.
"""

from __future__ import annotations

import asyncio
import json
import logging

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.errors import ForebayError, NotFound, RequestError, StoreError, TooLarge, WrongMethod
from proxy.http import keys
from proxy.http.shown import shown
from proxy.upstream.sse import error_event

log = logging.getLogger(__name__)

CLIENT_LEFT = 499
_LAST_EVENT_SECONDS = 0.5


@web.middleware
async def error_boundary(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer errors; a cancelled request stays cancelled."""
    try:
        return await handler(request)
    except ForebayError as error:
        return await _answer(request, error)
    except web.HTTPException as error:
        return await _answer(request, translated(request, error))
    except Exception as error:
        if isinstance(error, ConnectionError) and _has_left(request):
            return _client_left(request)
        log.exception("unexpected error", extra={"fields": {"request_id": request.get(keys.REQUEST_ID)}})
        return await _answer(request, ForebayError("the proxy failed; its log tells more under this request id"))


def translated(request: web.Request, error: web.HTTPException) -> ForebayError:
    """aiohttp's own refusals as errors of ours."""
    match error:
        case web.HTTPNotFound():
            return NotFound(f"there is no endpoint {request.rel_url.raw_path[:200]}; see GET /v1/models")
        case web.HTTPMethodNotAllowed():
            allowed = ", ".join(sorted(error.allowed_methods))
            return WrongMethod(f"{request.method[:20]} is not allowed here; use {allowed}", allowed)
        case web.HTTPRequestEntityTooLarge():
            return TooLarge("the request body is too large; send less, or raise server.max_body_mb")
        case _ if 400 <= error.status < 500:
            return RequestError(error.reason)
        case _:
            return ForebayError(error.reason)


async def _answer(request: web.Request, error: ForebayError) -> web.StreamResponse:
    begun = request.get(keys.PREPARED)
    if begun is not None:
        return await _cut(request, begun, error)
    if isinstance(error, StoreError):
        log.warning("store unavailable: %s", error, extra={"fields": {"request_id": request.get(keys.REQUEST_ID)}})
    text = shown(request, json.dumps(error.body()))
    return web.json_response(text=text, status=error.status, headers=error.headers())


async def _cut(request: web.Request, begun: web.StreamResponse, error: ForebayError) -> web.StreamResponse:
    """A second answer cannot follow the first. A stream ends with the error as its last event; another answer
    is closed without its end, which tells the client that it is cut."""
    request[keys.OUTCOME] = error.status
    log.error("answer cut off: %s", error, extra={"fields": {"request_id": request.get(keys.REQUEST_ID)}})
    if begun.content_type == "text/event-stream" and await _ended(begun, error):
        return begun
    if request.transport is not None:
        request.transport.close()
    return begun


async def _ended(stream: web.StreamResponse, error: ForebayError) -> bool:
    """Whether the client took the last event in time; nobody knows here where the stream stopped."""
    try:
        async with asyncio.timeout(_LAST_EVENT_SECONDS):
            await stream.write(error_event(error, b"?"))
            await stream.write_eof()
    except (ConnectionError, TimeoutError, RuntimeError):  # the last: its end has been written
        return False
    return True


def _has_left(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def _client_left(request: web.Request) -> web.StreamResponse:
    request[keys.OUTCOME] = CLIENT_LEFT
    return request.get(keys.PREPARED) or web.Response(status=CLIENT_LEFT)
