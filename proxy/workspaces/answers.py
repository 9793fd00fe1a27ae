"""What the model reads: definitions in a list, or the text of one, in frames that say where and how to go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from proxy.retrieval.pages import Cursor, Room, read
from proxy.workspaces.citation import Citation, cite, cite_hit
from proxy.workspaces.symbol import Hit, Symbol, mark, name_part, text_part

Result = Literal["found", "changed", "nothing", "failed"]

LEAST_TOKENS = 64
"""A page of fewer tokens would say little more than its own frame."""
TAIL_TOKENS = 40
"""About what the line behind a page takes."""
PLACES_NAMED = 8
LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Told:
    """What the model is told, and what became of its question, as metrics name it."""

    text: str
    result: Result


@dataclass(frozen=True, slots=True)
class Page:
    """Lines of a file for the model: `what` they are, `name` the part of their marks that says of what."""

    path: str
    lines: tuple[bytes, ...]
    start: Cursor
    last: int
    name: int
    what: str = ""

    def told(self, room: Room) -> str:
        """As many of the lines as there is room for; each range with a mark of its own."""
        head_room = room.weigh(self.what) + room.weigh(self._place(self.start, self.last)) + TAIL_TOKENS
        text = "\n".join(line.decode("utf-8", "replace") for line in self.lines)
        page = read(text, self.start, self.last, replace(room, size=max(LEAST_TOKENS, room.size - head_room)))
        head = f"[Forebay: {self._place(self.start, page.end)}{self.what}]\n"
        body = page.text if page.text.endswith("\n") else page.text + "\n"
        rest = f'[Forebay: it goes on with name "{self._place(page.next, self.last)}"]' if page.next else ""
        return head + body + rest

    def _place(self, start: Cursor, last: int) -> str:
        return cite(self.path, start, last, mark(self.name, text_part(self.lines[start.line - 1 : last])))


def page_of(hit: Hit, lines: tuple[bytes, ...], others: Sequence[Hit] = (), note: str = "") -> Page:
    """The page of a definition; `others` are what else its name may mean, `note` is told behind the name."""
    symbol = hit.symbol
    also = f"; also defined: {'; '.join(map(cite_hit, others))}" if others else ""
    what = f" {symbol.kind} {symbol.qualified}{note}{also}"
    return Page(hit.shown, lines, Cursor(symbol.first), symbol.last, name_part(symbol.qualified), what)


def page_at(citation: Citation, path: str, lines: tuple[bytes, ...], around: Symbol | None) -> Page:
    """The page of a place; `around` is the definition that it stands in."""
    start, last = citation.start, min(citation.last, len(lines))
    if around is None:
        return Page(path, lines, start, last, 0, f" of {len(lines)} lines")
    is_all = (start, last) == (Cursor(around.first), around.last)
    what = f"{' ' if is_all else ' in '}{around.kind} {around.qualified}"
    return Page(path, lines, start, last, name_part(around.qualified), what)


def listed(hits: Sequence[Hit], head: str, total: int, room: Room, note: str = "") -> str:
    """The places of definitions, as many as there is room for, in their order."""
    lines: list[str] = []
    left = room.size - TAIL_TOKENS
    for hit in hits:
        line = cite_hit(hit)
        left -= room.weigh(line + "\n")
        if left < 0 and lines:
            break
        lines.append(line)
    first = f", the first {len(lines)} here" if len(lines) < total else ""
    return "\n".join([f"[Forebay: {head}{first}; load one by its place as name{note}]", *lines])


def said(text: str) -> str:
    """What the model wrote, as it is repeated to it."""
    return repr(text[:LONGEST_SHOWN])
