"""Endpoints beside chat that pass untouched: only those that need nothing stored under the operator's key.

The list is closed, and each endpoint takes one form of body, because the other form of some can name
files that another tenant stored.
"""

from __future__ import annotations

from typing import Final, Literal

from aiohttp import web

from proxy.errors import RequestError, UpstreamError, WrongMedia
from proxy.http import keys
from proxy.http.body import read_body, read_json_body
from proxy.http.limits import SPENDING, spending
from proxy.http.model_field import json_model, multipart_model
from proxy.http.routing import route_of
from proxy.http.shortfalls import Shortfalls
from proxy.http.told import told
from proxy.http.tracing import calling
from proxy.upstream import Answer, Route, UpstreamCall

RELAYED: Final[dict[str, Literal["json", "multipart"]]] = {
    "embeddings": "json",
    "moderations": "json",
    "completions": "json",
    "audio/speech": "json",
    "audio/transcriptions": "multipart",
    "audio/translations": "multipart",
    "images/generations": "json",
    "images/edits": "multipart",
    "images/variations": "multipart",
}


async def relayed(request: web.Request) -> web.StreamResponse:
    """Pass the body on to its model's upstream, and the answer back, as they are."""
    path = request.path.removeprefix("/v1/")
    body, stream, route = await _resolved(request, path)
    call = UpstreamCall(route, body, calling(request, route), stream=stream, path=path)
    async with spending(request, None, 0, Shortfalls(request.app[keys.METRICS].degraded)):
        return await _forwarded(request, call)


async def _forwarded(request: web.Request, call: UpstreamCall) -> web.StreamResponse:
    metrics, model = request.app[keys.METRICS], call.route.name
    with metrics.in_flight(model):
        try:
            async with request.app[keys.UPSTREAM].open(call) as answer:
                metrics.upstream_status(model, answer.status)
                response = await _pass_back(request, answer)
                rounds = told(request).rounds = [answer.usage] if answer.usage else []
                request[SPENDING].answered(answer.status, rounds)
                return response
        except UpstreamError as error:
            metrics.upstream_error(model, error.kind)
            raise


async def _resolved(request: web.Request, path: str) -> tuple[bytes, bool, Route]:
    """The body with its upstream's model name, whether it asks for a stream, and where it goes."""
    if RELAYED[path] == "json":
        field = json_model(await read_json_body(request))
    else:
        content_type = request.headers.get("content-type", "")
        if not content_type.lower().startswith("multipart/form-data"):
            needs = ", which needs keys: configure tenants" if request.app[keys.SETTINGS].auth.mode == "none" else ""
            raise WrongMedia(f"/v1/{path} is read as multipart/form-data only; send a form{needs}")
        field = multipart_model(await read_body(request), content_type)
    route = route_of(request, field.name)
    request[keys.MODEL], request[keys.STREAM] = route.name, field.stream
    if route.transport != "relay":
        raise RequestError(
            f"/v1/{path} needs a model that is relayed, and {field.name[:80]!r} is not; "
            "ask for another, or set its transport to relay",
            param="model",
        )
    return field.renamed(route.model), field.stream, route


async def _pass_back(request: web.Request, answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    await response.prepare(request)
    async for chunk in answer.chunks():
        await response.write(chunk)
    await response.write_eof()
    return response
