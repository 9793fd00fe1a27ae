"""Headers of a connection and of a body on it: each hop says its own, so none is passed on and none configured."""

from __future__ import annotations

HOP_BY_HOP = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "trailers",
        "transfer-encoding",
        "upgrade",
        "expect",
    ]
)
FRAMING = HOP_BY_HOP | {"host", "content-length", "content-encoding", "accept-encoding"}
