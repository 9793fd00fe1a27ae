"""One line and one count for every request: never a body, a key, a cookie or a query."""

from __future__ import annotations

import logging
import time

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.http import body_log, keys
from proxy.http.boundary import CLIENT_LEFT
from proxy.http.shown import shown_path
from proxy.http.told import told

log = logging.getLogger(__name__)

UNKNOWN_TENANT = "unknown"
OTHER_MODEL = "other"


@web.middleware
async def access(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Log and count the request once it is over; one whose client left counts as 499."""
    started = time.perf_counter()
    status = CLIENT_LEFT
    body_log.begin(request)
    try:
        response = await handler(request)
        if isinstance(response, web.Response) and isinstance(response.body, bytes):
            body_log.gave(request, response.body)
        status = request.get(keys.OUTCOME, response.status)
        return response
    finally:
        _note(request, status, time.perf_counter() - started)


def _note(request: web.Request, status: int, seconds: float) -> None:
    tenant = request[keys.TENANT].name if keys.TENANT in request else UNKNOWN_TENANT
    model = request.get(keys.MODEL, OTHER_MODEL)
    if request.path.startswith("/v1/"):
        stream = request.get(keys.STREAM, False)
        request.app[keys.METRICS].finished(model, tenant, status, stream, seconds)
    fields = {
        "request_id": request[keys.REQUEST_ID],
        "tenant": tenant,
        "method": request.method,
        "path": shown_path(request),
        "status": status,
        "seconds": round(seconds, 4),
        "model": model,
        "stream": request.get(keys.STREAM, False),
        **told(request).fields(),
    }
    log.info("request", extra={"fields": fields})
    body_log.write(request)
