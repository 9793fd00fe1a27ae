"""What a client sent, as it may be shown again: a key in the wrong place is still a key."""

from __future__ import annotations

import re

from aiohttp import web

from proxy.upstream.redaction import MARK, without

_KEY = re.compile(r"\b(?:fb|sk|pk|rk|gsk|xai)-[A-Za-z0-9_-]{16,}")
_CREDENTIALS = ("authorization", "x-api-key", "api-key", "cookie")
_SHORTEST = 8


def shown(request: web.Request, text: str) -> str:
    """A text that may quote the request, without its credentials and without what looks like a provider's key."""
    known = without(text.encode("utf-8", "surrogatepass"), credentials(request)).decode("utf-8", "surrogatepass")
    return _KEY.sub(MARK, known)


def shown_path(request: web.Request) -> str:
    """The path without its query."""
    return shown(request, request.rel_url.raw_path)


def credentials(request: web.Request) -> frozenset[str]:
    """What the request's headers carry to prove who sends it."""
    words = [word for name in _CREDENTIALS for word in request.headers.get(name, "").replace(";", " ").split()]
    values = [word.partition("=")[2] for word in words]
    return frozenset(word for word in (*words, *values) if len(word) >= _SHORTEST)
