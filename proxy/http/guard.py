"""What stands in for keys where there are none: the checks that keep other sites out of a loopback proxy.

A page in the user's browser can send requests to loopback. It cannot forge `Host` (so a rebound name is
seen), cannot send JSON across origins without asking, and cannot leave out `Origin` where it matters.
"""

from __future__ import annotations

import re
from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.errors import Forbidden, WrongMedia
from proxy.http import keys
from proxy.http.body import is_json

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse, in mode `none` only, what a browser could have been talked into."""
    if request.app[keys.SETTINGS].auth.mode == "none":
        _check(request)
    return await handler(request)


def names_loopback(host: str) -> bool:
    """Whether a Host header, with or without a port, names this machine's loopback."""
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found[1] or found[2]
    try:
        return name.lower() == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _check(request: web.Request) -> None:
    host = request.headers.get("host", "")
    if not names_loopback(host):
        raise Forbidden(
            f"host {host[:80]!r} is not loopback, and without keys the proxy serves loopback only; "
            "use 127.0.0.1, or configure tenants with keys"
        )
    if "origin" in request.headers:
        raise Forbidden(
            "requests from web pages (with an Origin header) are refused without keys; configure tenants with keys"
        )
    content_type = request.headers.get("content-type", "")
    if request.method != "POST" or not request.body_exists or is_json(content_type):
        return
    if content_type.lower().startswith("multipart/form-data"):
        raise WrongMedia(
            "form uploads (multipart/form-data) need keys, for any web page can send a form; "
            "configure tenants with keys, see forebay keys new"
        )
    raise WrongMedia("without keys only application/json is read; set content-type: application/json")
