"""Searching a text by RE2: linear in the text, bounded in what one page scans and shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import re2  # type: ignore[import-untyped]  # the wheel has no types

from proxy.errors import RequestError
from proxy.retrieval.pages import PAGE, PAGE_LINES, Cursor, Page, Room, checked_last, lines_of

SCAN_CHARACTERS = 4_000_000
SHOWN_OF_A_LINE = 1_000
PATTERN_CHARACTERS = 1_000
PATTERN_MEMORY = 8 * 1024 * 1024


class _Match(Protocol):
    def start(self) -> int: ...


class _Pattern(Protocol):
    def search(self, text: str) -> _Match | None: ...


def grep(text: str, pattern: str, context: int, start: Cursor, end: int | None, *, room: Room = PAGE) -> Page:
    """The lines that match, each as `number:line`, with `context` lines as `number-line` around, gaps as `--`.

    `start` and `end` of the page are the first and last line searched; `next` is where to go on. A first match
    for whose context there is no room is shown without, so that following `next` gets on.
    """
    compiled = _compiled(pattern)
    lines = lines_of(text)
    last = checked_last(lines, start, end)
    columns, searched = _matches(lines, compiled, start.line, last)
    shown: list[str] = []
    left, told = room.size, start.line - 1
    for match in columns:
        first, final = max(told + 1, match - context), min(match + context, searched)
        block = [_line(lines[n - 1], n, columns.get(n)) for n in range(first, final + 1)]
        if shown and first > told + 1:
            block.insert(0, "--\n")
        weight = sum(map(room.weigh, block))
        if weight > left and not shown:
            line = _line(lines[match - 1], match, columns[match])
            block, final = [line[: room.fitting(line)]], match
            weight = room.weigh(block[0])
        left -= weight
        if left < 0 or len(shown) + len(block) > PAGE_LINES:
            return Page(len(lines), start.line, told, Cursor(first), "".join(shown))
        shown += block
        told = max(told, final)
    more = Cursor(searched + 1) if searched < last else None
    return Page(len(lines), start.line, searched, more, "".join(shown))


def _matches(lines: Sequence[str], pattern: _Pattern, first: int, last: int) -> tuple[dict[int, int], int]:
    """Matching line numbers with the column of the match, and the last line that was searched."""
    columns: dict[int, int] = {}
    scanned = 0
    for number in range(first, last + 1):
        scanned += len(lines[number - 1])
        if scanned > SCAN_CHARACTERS and number > first:
            return columns, number - 1
        if match := pattern.search(lines[number - 1].rstrip("\r\n")):
            columns[number] = match.start()
    return columns, last


def _line(line: str, number: int, column: int | None) -> str:
    line = line.rstrip("\r\n")
    mark = "-" if column is None else ":"
    if len(line) <= SHOWN_OF_A_LINE:
        return f"{number}{mark}{line}\n"
    start = max(0, min((column or 0) - SHOWN_OF_A_LINE // 2, len(line) - SHOWN_OF_A_LINE))
    part = line[start : start + SHOWN_OF_A_LINE]
    return f"{number}{mark}{part} [characters {start} to {start + len(part)} of {len(line)}; start={number} reads on]\n"


def _compiled(pattern: str) -> _Pattern:
    if not pattern or len(pattern) > PATTERN_CHARACTERS:
        raise RequestError(f"a pattern has 1 to {PATTERN_CHARACTERS} characters, not {len(pattern)}", param="grep")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = PATTERN_MEMORY
    try:
        compiled: _Pattern = re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        raise RequestError(f"{pattern[:80]!r} is not an RE2 pattern: {_reason(error)}", param="grep") from error
    return compiled


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else ""
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
