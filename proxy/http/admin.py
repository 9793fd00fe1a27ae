"""For probes and Prometheus: on a port of its own, health on the main port too."""

from __future__ import annotations

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST

from proxy.http import keys
from proxy.http.boundary import error_boundary
from proxy.http.guard import guard
from proxy.http.request_id import name_request, stamp


def admin_app(main: web.Application) -> web.Application:
    """The admin port's app; it looks into the main app's readiness and metrics."""
    app = web.Application(middlewares=(name_request, error_boundary, guard))
    app.on_response_prepare.append(stamp)
    app[keys.SETTINGS] = main[keys.SETTINGS]
    app[keys.READINESS] = main[keys.READINESS]
    app[keys.METRICS] = main[keys.METRICS]
    add_probes(app)
    if app[keys.SETTINGS].metrics.enabled:
        app.router.add_get("/metrics", metrics)
    return app


def add_probes(app: web.Application) -> None:
    """Liveness and readiness, on either port."""
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)


async def healthz(request: web.Request) -> web.Response:
    """The process answers."""
    return web.json_response({"status": "ok"})


async def readyz(request: web.Request) -> web.Response:
    """Whether to send requests here; a dead store is no reason not to."""
    readiness = request.app[keys.READINESS]
    reasons = readiness.reasons()
    store = "ok" if await readiness.store_up() else "degraded"
    if reasons:
        return web.json_response({"status": "not ready", "reasons": reasons, "store": store}, status=503)
    return web.json_response({"status": "ready", "store": store})


async def metrics(request: web.Request) -> web.Response:
    """The page that Prometheus reads."""
    page = request.app[keys.METRICS].exposition()
    return web.Response(body=page, headers={"content-type": CONTENT_TYPE_LATEST})
