"""Answering one call of our tool: a bounded page of an original, or one sentence that ends the matter.

Every answer says where in the original it stands and how to read on. A model that asks for what is not there gets a
text that leaves it nothing to try again: models repeat a failing call otherwise, up to twenty times in a row.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import re2  # type: ignore[import-untyped]  # the wheel has no types

from policies.reducers.reducer import Outline
from proxy.errors import RequestError
from proxy.retrieval.arguments import Ask, Misread, asked
from proxy.retrieval.grep import grep
from proxy.retrieval.pages import Cursor, Page, Room, read
from proxy.retrieval.sources import Missing, NotHere
from proxy.retrieval.symbols import definitions

CONTEXT_LINES = 2
LEAST_TOKENS = 64
"""A page of fewer tokens would say little more than its own frame."""
FRAME_TOKENS = 60
"""About what the lines around a page take."""
PLACES_NAMED = 8

_MISSING: dict[Missing, str] = {
    "unknown": (
        "Nothing is kept as {0}. Copy locators from the [Forebay: ...] markers of this conversation; do not ask for "
        "{0} again."
    ),
    "expired": "What was kept as {0} has expired and will not come back. Run the source again.",
    "gone": "Nothing is kept as {0}, or it has expired. Run the source again.",
    "failed": "What is kept as {0} cannot be read now. Go on without it, or run the source again.",
}

OnRead = Callable[[str, str], None]


class Originals(Protocol):
    """Where a locator leads."""

    async def text(self, locator: str) -> str:
        """The whole original, as a model reads it; NotHere where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Reads:
    """Answers the calls of one request. `on_read(by, result)` is told of each."""

    sources: Originals
    count: Callable[[str], int]
    page_tokens: int
    outline: Outline
    on_read: OnRead

    async def answer(self, arguments: str, limit: int) -> str:
        """What the model is told, in about `limit` tokens at most and no more than a page."""
        try:
            ask = asked(arguments)
        except Misread as error:
            self.on_read("lines", "misread")
            return str(error)
        try:
            text = await self.sources.text(ask.locator)
        except NotHere as error:
            self.on_read(ask.by, error.why)
            return _MISSING[error.why].format(ask.locator)
        room = Room(max(LEAST_TOKENS, min(limit, self.page_tokens) - FRAME_TOKENS), self.count)
        told, result = await asyncio.to_thread(_told, text, ask, room, self.outline)
        self.on_read(ask.by, result)
        return told


def _told(text: str, ask: Ask, room: Room, outline: Outline) -> tuple[str, str]:
    """The page that was asked for, in its frame, and what became of the call."""
    try:
        if ask.symbol is not None:
            return _by_symbol(text, ask, ask.symbol, room, outline)
        if ask.grep is not None:
            return _by_grep(text, ask, ask.grep, room)
        return _framed(ask, read(text, ask.start, ask.end, room)), "found"
    except RequestError as error:  # a range outside the text, a pattern that is none
        return f"{error}. What is kept as {ask.locator} has {text.count(chr(10)) + 1} lines.", "misread"


def _by_grep(text: str, ask: Ask, pattern: str, room: Room) -> tuple[str, str]:
    note = ""
    try:
        page = grep(text, pattern, CONTEXT_LINES, ask.start, ask.end, room=room)
    except RequestError as error:
        if error.param != "grep" or not pattern:
            raise
        page = grep(text, re2.escape(pattern), CONTEXT_LINES, ask.start, ask.end, room=room)
        note = ", searched literally"
    if not page.text and page.next is None:
        searched = f"lines {page.start}-{page.end} of {page.lines}"
        return f"[Forebay: no line of {ask.locator} matches{note}; searched {searched}]", "nothing"
    return _framed(ask, page, f" searched{note}"), "found"


def _by_symbol(text: str, ask: Ask, symbol: str, room: Room, outline: Outline) -> tuple[str, str]:
    places = definitions(text, symbol, outline)
    if not places:
        return f"[Forebay: {ask.locator} defines no {symbol[:80]!r}; grep or lines read the rest]", "nothing"
    (first, last), *others = places
    page = read(text, Cursor(first), last, room)
    named = ", ".join(f"{start}-{end}" for start, end in others[:PLACES_NAMED])
    return _framed(replace(ask, end=last), page, f"; also defined in lines {named}" if others else ""), "found"


def _framed(ask: Ask, page: Page, note: str = "") -> str:
    head = f"[Forebay: lines {page.start}-{page.end} of {page.lines} of {ask.locator}{note}]\n"
    body = page.text if page.text.endswith("\n") or not page.text else page.text + "\n"
    return head + body + _tail(ask, page)


def _tail(ask: Ask, page: Page) -> str:
    """How to read on; empty where all that was asked for is told."""
    if page.next is None:
        return ""
    rest = f"{page.next.encoded()}-{'' if ask.end is None else ask.end}"
    return f'[Forebay: {ask.locator} goes on with lines "{rest}"]'
