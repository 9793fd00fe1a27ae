"""A page of a text by its lines: bounded, and never cutting in silence.

A page holds at most 2,000 lines and what there is room for: 262,144 characters, or as many tokens as the caller
says. Where the rest begins is a cursor, to be handed in as the next `start`: a line number, or `line:characters`
where one line alone is longer than a page. Pages put together are the text, character for character.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from proxy.errors import RequestError

PAGE_LINES = 2_000
PAGE_CHARACTERS = 256 * 1024


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a text: a line, from 1, and characters of it to skip."""

    line: int = 1
    skip: int = 0

    def encoded(self) -> int | str:
        """A plain number wherever nothing is skipped."""
        return f"{self.line}:{self.skip}" if self.skip else self.line


@dataclass(frozen=True, slots=True)
class Page:
    """Lines `start` to `end`, both included; `next` None where all that was asked for is told."""

    lines: int
    start: int
    end: int
    next: Cursor | None
    text: str


@dataclass(frozen=True, slots=True)
class Room:
    """What a page may hold: so much of what `weigh` says of its lines."""

    size: int = PAGE_CHARACTERS
    weigh: Callable[[str], int] = len

    def fitting(self, text: str) -> int:
        """How many characters from the start of `text` fit alone; at least one, so that reading gets on."""
        fit = min(len(text), 8 * self.size) if self.weigh is not len else self.size
        while fit > 1 and (weight := self.weigh(text[:fit])) > self.size:
            fit = max(1, min(fit - 1, fit * self.size // weight))
        return max(1, fit)


PAGE = Room()


def lines_of(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def read(text: str, start: Cursor, end: int | None, room: Room = PAGE) -> Page:
    """The page that begins at `start`; it ends with line `end` or earlier."""
    lines = lines_of(text)
    last = checked_last(lines, start, end)
    left = room.size
    taken: list[str] = []
    line, skip = start.line, start.skip
    while line <= last and len(taken) < PAGE_LINES:
        rest = lines[line - 1][skip:]
        weight = room.weigh(rest)
        if weight > left:
            if not taken:
                fit = room.fitting(rest)
                return Page(len(lines), start.line, line, Cursor(line, skip + fit), rest[:fit])
            break
        taken.append(rest)
        left -= weight
        line, skip = line + 1, 0
    more = Cursor(line) if line <= last else None
    return Page(len(lines), start.line, line - 1, more, "".join(taken))


def checked_last(lines: Sequence[str], start: Cursor, end: int | None) -> int:
    """The last line of a range that lies within the text; RequestError for one that does not."""
    if start.line > max(len(lines), 1):
        raise RequestError(f"start {start.line} is past the last line, {len(lines)}", param="start")
    if end is not None and end < start.line:
        raise RequestError(f"end {end} stands before start {start.line}", param="end")
    return len(lines) if end is None else min(end, len(lines))
