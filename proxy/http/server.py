"""How aiohttp is run: each of these is a default that would hurt an agent or the operator.

- `handler_cancellation`: else a client that leaves does not cancel its handler, nor the upstream call.
- `auto_decompress`: off; `body.py` inflates, so that errors are ours and a cut body is seen.
- `max_field_size`, `max_line_size`: clients send header fields of more than 8 KiB.
- `access_log`: ours is in `access.py`.
- `logger`: aiohttp's would write the header lines of malformed requests, keys included.
"""

from __future__ import annotations

import logging

from aiohttp import web

from proxy.http.logs import ServerLog
from proxy.http.middleware import MIDDLEWARES
from proxy.http.request_id import stamp

log = logging.getLogger(__name__)

HEADER_BYTES = 64 * 1024


def new_app() -> web.Application:
    """An app with the middleware and nothing else; bodies are bounded by `read_body` alone."""
    app = web.Application(middlewares=MIDDLEWARES)
    app.on_response_prepare.append(stamp)
    return app


def runner(app: web.Application, grace_seconds: float) -> web.AppRunner:
    """The runner of a main or admin app; the caller adds sites and cleans up, which waits for requests in flight."""
    return web.AppRunner(
        app,
        access_log=None,
        logger=ServerLog(log),
        handler_cancellation=True,
        auto_decompress=False,
        max_field_size=HEADER_BYTES,
        max_line_size=HEADER_BYTES,
        shutdown_timeout=grace_seconds,
    )
