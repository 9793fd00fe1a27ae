"""Reading originals back, and erasing them. Unknown, foreign and expired are one answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from aiohttp import web

from proxy.artifacts import Artifact
from proxy.errors import NotFound, RequestError, StoreError
from proxy.http import keys
from proxy.locators import PATTERN
from proxy.outline import outline
from proxy.retrieval.grep import grep
from proxy.retrieval.pages import Cursor, Page, read
from proxy.retrieval.symbols import definitions

MOST_CONTEXT = 20


async def get_artifact(request: web.Request) -> web.Response:
    """One page of an original, the lines of it that match, a definition, or with `meta=1` what is known of it."""
    query, told = request.query, request.app[keys.METRICS].retrieval
    if query.get("meta") == "1":
        return web.json_response(_meta(await _found(request)))
    by = next((name for name in ("symbol", "grep") if name in query), "lines")
    try:
        read_page = _reading(query)
        artifact = await _found(request)
        page = await asyncio.to_thread(read_page, artifact.text)
    except (RequestError, StoreError) as error:
        told(by, _result(error))
        raise
    told(by, "found" if page and page.text else "nothing")
    if page is None:
        raise NotFound(f"no {query['symbol'][:80]!r} is defined there; use grep, or start and end", param="symbol")
    return web.json_response(_shape(artifact, page))


def _reading(query: Mapping[str, str]) -> Callable[[str], Page | None]:
    """What reads the page that a query asks for; RequestError where it asks for none."""
    start, end = _cursor(query.get("start", "1")), _number(query.get("end"), "end", 1)
    context = _number(query.get("context"), "context", 0) or 0
    if context > MOST_CONTEXT:
        raise RequestError(f"context {context} is over {MOST_CONTEXT} lines; ask for less", param="context")
    if "symbol" in query:
        return partial(_definition, symbol=query["symbol"], start=start, end=end)
    if "grep" in query:
        return partial(grep, pattern=query["grep"], context=context, start=start, end=end)
    return partial(read, start=start, end=end)


def _definition(text: str, symbol: str, start: Cursor, end: int | None) -> Page | None:
    """The first definition of a symbol from `start` on, or what is left of the one there; None where there is none.

    `next` leads on, with the same symbol, through all definitions that begin by line `end`.
    """
    places = definitions(text, symbol, outline)
    left = [(first, last) for first, last in places if last >= start.line and (end is None or first <= end)]
    if not left:
        return None
    first, last = left[0]
    page = read(text, max(start, Cursor(first), key=lambda cursor: cursor.line), last)
    following = next((Cursor(later) for later, _ in left if later > last), None)
    return page if page.next else replace(page, next=following)


def _result(error: RequestError | StoreError) -> str:
    """What became of a reading that failed, as the metrics name it."""
    match error:
        case StoreError():
            return "failed"
        case NotFound():
            return "gone"
        case _:
            return "misread"


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
