"""Every request gets an id of ours, and every answer says it; the upstream's `x-request-id` is another."""

from __future__ import annotations

import secrets

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.http import keys

SERVER = "forebay"


@web.middleware
async def name_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Give the request 128 random bits as its name."""
    request[keys.REQUEST_ID] = secrets.token_hex(16)
    return await handler(request)


async def stamp(request: web.Request, response: web.StreamResponse) -> None:
    """Signal handler for `on_response_prepare`: the last moment at which any answer's head can change."""
    request[keys.PREPARED] = response
    response.headers["server"] = SERVER
    if keys.REQUEST_ID in request:
        response.headers["x-context-request-id"] = request[keys.REQUEST_ID]
