"""Where a request's trace begins, goes on upstream, and ends. Without a tracer none of this is in the way.

What a trace is made of is `proxy/tracing.py`'s affair, the one door to OpenTelemetry, which is loaded only where
`tracing.otlp_endpoint` asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Handler
from multidict import CIMultiDict

from proxy.http import keys
from proxy.http.boundary import CLIENT_LEFT
from proxy.http.told import Told, told
from proxy.upstream import Route

CONTEXT_HEADERS = ("traceparent", "tracestate")
_OPERATIONS = {"/v1/chat/completions": "chat", "/v1/completions": "text_completion", "/v1/embeddings": "embeddings"}


class Trace(Protocol):
    """One request's."""

    def call(self, operation: str, route: Route) -> Mapping[str, str]:
        """The upstream call begins; the headers by which the trace goes on there."""
        ...

    def end(self, status: int, request_id: str, tenant: str | None, facts: Told) -> None:
        """The request is over."""
        ...


class Tracer(Protocol):
    """Begins traces."""

    def begin(self, method: str, route: str, headers: Mapping[str, str]) -> Trace:
        """A request came; `headers` may hold the client's trace, which then goes on."""
        ...


TRACER: web.AppKey[Tracer] = web.AppKey("tracer")
_TRACE: web.RequestKey[Trace] = web.RequestKey("trace")


def trace_requests(app: web.Application) -> None:
    """Let this app's requests be traced, from right after they have a name; before the app starts."""
    app.middlewares.insert(1, traced)


@web.middleware
async def traced(request: web.Request, handler: Handler) -> web.StreamResponse:
    """One trace for each request under /v1; the path is told as the route, never as it was sent."""
    resource = request.match_info.route.resource
    if resource is None or not resource.canonical.startswith("/v1/"):
        return await handler(request)
    trace = request[_TRACE] = request.app[TRACER].begin(request.method, resource.canonical, request.headers)
    status = CLIENT_LEFT
    try:
        response = await handler(request)
        status = request.get(keys.OUTCOME, response.status)
        return response
    finally:
        tenant = request[keys.TENANT].name if keys.TENANT in request else None
        trace.end(status, request[keys.REQUEST_ID], tenant, told(request))


def calling(request: web.Request, route: Route) -> Mapping[str, str]:
    """The client's headers for the upstream call that begins now, with our trace in the place of the client's."""
    trace = request.get(_TRACE)
    if trace is None:
        return request.headers
    headers = CIMultiDict(request.headers)
    for name in CONTEXT_HEADERS:
        headers.popall(name, None)
    headers.update(trace.call(_OPERATIONS.get(request.path, request.path.removeprefix("/v1/")), route))
    return headers
