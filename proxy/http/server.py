"""How aiohttp is run: each of these is a default that would hurt an agent or the operator.

- `handler_cancellation`: else a client that leaves does not cancel its handler, nor the upstream call.
- `auto_decompress`: off; `body.py` inflates, so that errors are ours and a cut body is seen.
- `max_field_size`, `max_line_size`: clients send header fields of more than 8 KiB.
- `access_log`: ours is in `access.py`.
- `keepalive_timeout`: bounds a half-sent head too, for which there is no other limit, and would be an hour.
- `shutdown_timeout`: is waited for twice, and ends in an answer cut off; `in_flight.py` waits instead.
- `logger`: aiohttp's would write the header lines of malformed requests, keys included.
"""

from __future__ import annotations

import logging

from aiohttp import web

from proxy.http.in_flight import IN_FLIGHT, InFlight
from proxy.http.limits import PRESENT, Present
from proxy.http.logs import ServerLog
from proxy.http.middleware import MIDDLEWARES
from proxy.http.request_id import stamp

log = logging.getLogger(__name__)

HEADER_BYTES = 64 * 1024
IDLE_SECONDS = 75.0
"""How long a connection may wait for the end of the next request's head."""
_CLOSING_SECONDS = 0.5


def new_app() -> web.Application:
    """An app with the middleware and nothing else; bodies are bounded by `read_body` alone."""
    app = web.Application(middlewares=MIDDLEWARES)
    app[IN_FLIGHT] = InFlight()
    app[PRESENT] = Present()
    app.on_response_prepare.append(stamp)
    return app


def runner(app: web.Application) -> web.AppRunner:
    """The runner of a main or admin app; the caller adds sites and cleans up, which waits for nobody."""
    return web.AppRunner(
        app,
        access_log=None,
        logger=ServerLog(log),
        handler_cancellation=True,
        auto_decompress=False,
        max_field_size=HEADER_BYTES,
        max_line_size=HEADER_BYTES,
        keepalive_timeout=IDLE_SECONDS,
        shutdown_timeout=_CLOSING_SECONDS,
    )
