"""Bodies in the log, where `logging.bodies` asks for them: their beginning only, and without the secrets we know.

What a person or a tool has written into a message is logged as it is: only the operator's keys, the client's own and
what its headers carry are taken out.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from proxy.http import keys
from proxy.http.shown import credentials
from proxy.settings import Settings
from proxy.upstream.redaction import without

log = logging.getLogger(__name__)

MOST_BYTES = 16 * 1024
_LONGEST_SECRET = 8 * 1024  # one that begins within the bound is seen whole, and so known


@dataclass(slots=True)
class _Bodies:
    request: bytearray = field(default_factory=bytearray)
    answer: bytearray = field(default_factory=bytearray)


_BODIES = web.RequestKey("bodies", _Bodies)


def begin(request: web.Request) -> None:
    """Keep this request's bodies, if the configuration says so."""
    if request.app[keys.SETTINGS].logging.bodies:
        request[_BODIES] = _Bodies()


def took(request: web.Request, body: bytes) -> None:
    """The request's body, whole."""
    if _BODIES in request:
        _add(request[_BODIES].request, body)


def gave(request: web.Request, chunk: bytes) -> None:
    """A part of the answer's body."""
    if _BODIES in request:
        _add(request[_BODIES].answer, chunk)


def write(request: web.Request) -> None:
    """One line, beside that of the request."""
    if _BODIES not in request:
        return
    bodies = request[_BODIES]
    secrets = credentials(request) | _operators(request.app[keys.SETTINGS])
    fields: dict[str, Any] = {"request_id": request[keys.REQUEST_ID]}
    for name, kept in (("request_body", bodies.request), ("answer_body", bodies.answer)):
        fields[name] = without(bytes(kept), secrets)[:MOST_BYTES].decode(errors="replace")
    log.info("bodies", extra={"fields": fields})


def _add(kept: bytearray, part: bytes) -> None:
    room = MOST_BYTES + _LONGEST_SECRET - len(kept)
    if room > 0:
        kept += part[:room]


def _operators(settings: Settings) -> frozenset[str]:
    """The keys of the configuration."""
    found = [settings.secret] if settings.secret else []
    for model in settings.models:
        found += [model.api_key] if model.api_key else []
        found += [*model.headers.values(), *model.query.values()]
    return frozenset(word for value in found for word in value.get_secret_value().split() if len(word) >= 8)
