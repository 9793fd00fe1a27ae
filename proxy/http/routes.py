"""Every path of the main port. What is not here is 404 in OpenAI's shape, and needs a key to be told so."""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.http.admin import add_probes
from proxy.http.artifacts import delete_artifact, get_artifact
from proxy.http.mcp import mcp
from proxy.http.models import get_model, list_models
from proxy.http.relayed import RELAYED, relayed
from proxy.http.sessions_api import delete_session, get_session, list_sessions


def add_routes(app: web.Application, *, completions: Handler, plan: Handler) -> None:
    """Give the app its paths."""
    router = app.router
    router.add_post("/v1/chat/completions", completions)
    router.add_post("/v1/context/plan", plan)
    router.add_get("/v1/models", list_models)
    router.add_get("/v1/models/{id:.+}", get_model)
    router.add_get("/v1/context/sessions", list_sessions)
    router.add_get("/v1/context/sessions/{id:.+}", get_session)
    router.add_delete("/v1/context/sessions/{id:.+}", delete_session)
    router.add_get("/v1/context/artifacts/{locator}", get_artifact)
    router.add_delete("/v1/context/artifacts/{locator}", delete_artifact)
    router.add_post("/v1/context/mcp", mcp)
    for path in RELAYED:
        router.add_post(f"/v1/{path}", relayed)
    add_probes(app)
