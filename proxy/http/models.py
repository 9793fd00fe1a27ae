"""The models of this proxy, in OpenAI's shape: the configured names, and what they stand for."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from proxy.http import keys


async def list_models(request: web.Request) -> web.Response:
    """The configured names as they stand, patterns included."""
    data = [_model(name) for name in request.app[keys.CATALOG].names()]
    return web.json_response({"object": "list", "data": data})


async def get_model(request: web.Request) -> web.Response:
    """Any name that a request may ask for, also one that only a pattern covers; ids may hold slashes."""
    name = request.match_info["id"]
    request.app[keys.CATALOG].resolve(name)
    return web.json_response(_model(name))


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "forebay"}
