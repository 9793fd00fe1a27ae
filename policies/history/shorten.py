"""Shortening: the last resort before the brake. Large results that must stay lose lines from their middle.

Only whole lines leave, and each gap says which lines they were. Lines that report an error come first, then
the head and the tail of the text. A line that is larger than what is left is itself a gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from policies import markers
from policies.terms import Terms

ERROR_LINE = re.compile(
    r"\b(?:error|exception|fatal|panic(?:ked)?|traceback|assert(?:ion)?(?:error)?|fail(?:ed|ure)?|cannot|segfault|abort(?:ed)?|"
    r"out of (?:memory|disk))\b|\w(?:Error|Exception)\b|^E\s",
    re.IGNORECASE,
)
"""A line that reports a failure, in the words that compilers, test runners and interpreters use."""


def shorten(text: str, limit: int, locator: str, terms: Terms) -> str:
    """`text` in about `limit` tokens: error lines, then head and tail, gaps marked; possibly one gap."""
    lines = text.split("\n")
    marker = terms.count(markers.left_out(len(lines), len(lines), locator))
    costs = [terms.count(line) + 1 for line in lines]
    kept: set[int] = set()
    room = limit - marker
    for index in _by_worth(lines):
        cost = costs[index] + (0 if _touches(index, kept, len(lines)) else marker)
        if cost <= room:
            kept.add(index)
            room -= cost
    return _joined(lines, kept, locator)


def _touches(index: int, kept: set[int], total: int) -> bool:
    """Whether keeping the line opens no new gap."""
    return index - 1 in kept or index + 1 in kept or index in {0, total - 1}


def _by_worth(lines: Sequence[str]) -> Iterable[int]:
    """Line numbers, the most telling first: error lines, then from both ends towards the middle."""
    errors = [index for index, line in enumerate(lines) if ERROR_LINE.search(line)]
    yield from errors
    told = set(errors)
    for offset in range((len(lines) + 1) // 2):
        for index in (offset, len(lines) - 1 - offset):
            if index not in told:
                told.add(index)
                yield index


def _joined(lines: Sequence[str], kept: set[int], locator: str) -> str:
    """The kept lines in order, each gap between them a marker."""
    shown: list[str] = []
    gap_start: int | None = None
    for index in range(len(lines) + 1):
        missing = index < len(lines) and index not in kept
        if missing and gap_start is None:
            gap_start = index
        if not missing and gap_start is not None:
            shown.append(markers.left_out(gap_start + 1, index, locator))
            gap_start = None
        if not missing and index < len(lines):
            shown.append(lines[index])
    return "\n".join(shown)
