"""Who may come in: nobody new while draining, and nobody without a key but probes."""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.errors import Overloaded
from proxy.http import keys

PROBES = frozenset({"/healthz", "/readyz"})


@web.middleware
async def refuse_when_draining(request: web.Request, handler: Handler) -> web.StreamResponse:
    """503 for what arrives on a connection that was open when the shutdown began."""
    if request.app[keys.READINESS].draining and request.path not in PROBES:
        raise Overloaded("the proxy is shutting down; send the request again, to another replica")
    return await handler(request)


@web.middleware
async def authenticate(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Key to tenant, before anything is read or told, unknown paths included."""
    if request.path not in PROBES:
        request[keys.TENANT] = request.app[keys.TENANTS].identify(request.headers.get("authorization"))
    return await handler(request)
