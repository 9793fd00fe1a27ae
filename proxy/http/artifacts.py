"""Reading originals back, and erasing them. Unknown, foreign and expired are one answer."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from aiohttp import web

from proxy.artifacts import Artifact
from proxy.errors import NotFound, RequestError
from proxy.http import keys
from proxy.locators import PATTERN
from proxy.retrieval.grep import grep
from proxy.retrieval.pages import Cursor, Page, read

MOST_CONTEXT = 20


async def get_artifact(request: web.Request) -> web.Response:
    """One page of an original, the lines of it that match, or with `meta=1` what is known of it."""
    query = request.query
    if "symbol" in query:
        raise RequestError("reading by symbol is not built yet; use start and end, or grep", param="symbol")
    start, end = _cursor(query.get("start", "1")), _number(query.get("end"), "end", 1)
    context = _number(query.get("context"), "context", 0) or 0
    if context > MOST_CONTEXT:
        raise RequestError(f"context {context} is over {MOST_CONTEXT} lines; ask for less", param="context")
    artifact = await _found(request)
    if query.get("meta") == "1":
        return web.json_response(_meta(artifact))
    if "grep" in query:
        page = await asyncio.to_thread(grep, artifact.text, query["grep"], context, start, end)
    else:
        page = await asyncio.to_thread(read, artifact.text, start, end)
    return web.json_response(_shape(artifact, page))


async def delete_artifact(request: web.Request) -> web.Response:
    """Erase one original."""
    locator = _locator(request)
    tenant = request[keys.TENANT].name
    if not await request.app[keys.ARTIFACTS].erase(tenant, locator):
        raise _not_found()
    request.app[keys.KEEPER].forget(tenant)
    return web.json_response({"locator": locator, "deleted": True})


async def _found(request: web.Request) -> Artifact:
    artifact = await request.app[keys.ARTIFACTS].get(request[keys.TENANT].name, _locator(request))
    if artifact is None:
        raise _not_found()
    return artifact


def _locator(request: web.Request) -> str:
    locator = request.match_info["locator"]
    if not PATTERN.fullmatch(locator):
        raise _not_found()
    return locator


def _not_found() -> NotFound:
    return NotFound("there is no such artifact, or it has expired; run the source again")


def _shape(artifact: Artifact, page: Page) -> dict[str, Any]:
    return {
        "locator": artifact.locator,
        "kind": artifact.kind,
        "lines": page.lines,
        "start": page.start,
        "end": page.end,
        "next": page.next.encoded() if page.next else None,
        "text": page.text,
    }


def _meta(artifact: Artifact) -> dict[str, Any]:
    return {
        "locator": artifact.locator,
        "kind": artifact.kind,
        "characters": len(artifact.text),
        "created": artifact.created,
        "expires": artifact.expires,
        "sessions": list(artifact.sessions),
    }


def _cursor(value: str) -> Cursor:
    """A `start` as a client may write it, or as `next` gave it."""
    line, colon, skip = value.partition(":")
    return Cursor(_whole(line, "start", 1), _whole(skip, "start", 0) if colon else 0)


def _number(value: str | None, param: str, least: int) -> int | None:
    return None if value is None else _whole(value, param, least)


def _whole(value: str, param: str, least: int) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", value) or int(value) < least:
        raise RequestError(f"{param} {value[:40]!r} is not a whole number from {least} on", param=param)
    return int(value)
