"""Where a model's name leads for the client at hand."""

from __future__ import annotations

from aiohttp import web

from proxy.http import keys
from proxy.upstream import Route
from proxy.upstream.own_keys import with_own_key


def route_of(request: web.Request, model: str) -> Route:
    """The route, with the client's own key where it brings one. Raises NotFound, RequestError."""
    route = request.app[keys.CATALOG].resolve(model)
    credential = request[keys.TENANT].credential
    return route if credential is None else with_own_key(route, credential)
