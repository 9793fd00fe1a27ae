"""From an HTTP request to what the context engine is asked: body, route, policy, mode, and whose it is."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web

from proxy.context import Asked
from proxy.errors import Forbidden
from proxy.http import keys
from proxy.http.body import read_json_body
from proxy.http.options import options_of
from proxy.http.routing import route_of
from proxy.http.sessions import digest_of
from proxy.retrieval.tool import DEFINITIONS, READ_ONLY
from proxy.wire.envelope import slice_body


@dataclass(frozen=True, slots=True)
class Question:
    """A completion as it was asked for; `parent` names the session that spawned this one, if the client says so.

    `isolates` asks that what was inherited from it is left out.
    """

    asked: Asked
    parent: str | None
    isolates: bool = False


async def question(request: web.Request) -> Question:
    """Read and resolve a request; RequestError and its kin say what the client must change."""
    envelope = slice_body(await read_json_body(request))
    app, tenant = request.app, request[keys.TENANT]
    route = route_of(request, envelope.model)
    request[keys.MODEL], request[keys.STREAM] = route.name, envelope.stream
    policies = app[keys.ENGINE].policies
    options = options_of(
        request.headers,
        tenant,
        route_policy=route.policy,
        known=policies,
        allow_off=app[keys.SETTINGS].auth.allow_mode_off,
    )
    if options.isolates and not policies[options.policy].isolate.on_request:
        raise Forbidden(
            f"x-context-isolate is switched off by policy {options.policy!r} (isolate.on_request); "
            "leave the header out, or ask for another policy",
            param="x-context-isolate",
        )
    parent = digest_of(options.parent, tenant.name, app[keys.SECRET]) if options.parent else None
    tools = frozenset(DEFINITIONS) if app[keys.WORKSPACES].has(tenant.name) else READ_ONLY
    asked = Asked(envelope, tenant.name, route, options.policy, options.mode, tools)
    return Question(asked, parent, options.isolates)
