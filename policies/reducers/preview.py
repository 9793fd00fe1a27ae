"""The preview: what stands in the context for a result that is kept outside of it.

A headline says what the result is, how much of it there is and where it is kept. Under it stand those of its lines that
tell most, as they were, every gap marked. Lines that must stay may take the preview to `GROWTH` times its limit,
and what explains them may still take a quarter of the limit beside them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from policies import markers
from policies.reducers import recognise
from policies.reducers.layout import Kept, Layout
from policies.reducers.reducer import Outline

GROWTH = 4
MOST_KEPT = 0.7
"""A preview that saves less than the rest is not worth its locator."""
BESIDE = 4
"""Where the lines that must stay fill the limit, others may take this part of it, one in four."""

Count = Callable[[str], int]
_COLOUR = re.compile(r"\x1b\[[\d;?]{0,20}[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Preview:
    """The text that stands for a result, what kind of output it was taken for, and its tokens."""

    kind: str
    text: str
    tokens: int


def preview(text: str, limit: int, locator: str, count: Count, outline: Outline) -> Preview | None:
    """`text` in about `limit` tokens, up to `GROWTH` times as many where lines must stay.

    None where even that is not enough for them, or where it would save less than 30 %: then the result stays.
    """
    lines = text.split("\n")
    seen = readable(text)
    reducer = recognise(seen)
    ranking = reducer.rank(seen, outline)
    tokens = count(text)
    headline = markers.preview(reducer.kind, len(lines), tokens, ranking.facts, locator)
    layout = Layout(lines, tokens, markers.gap, count)
    most = min(GROWTH * limit, int(MOST_KEPT * tokens))

    def size(kept: Kept) -> int:
        return count(f"{headline}\n{layout.text(kept)}")

    for must in (ranking.must, _told_once(ranking.must, lines)):
        least = layout.bridged(frozenset(must))
        if (used := size(least)) <= most:
            allowed = min(most, max(limit, used + limit // BESIDE))
            kept = layout.fitted(least, ranking.then, allowed, size)
            shown = f"{headline}\n{layout.text(kept)}"
            return Preview(reducer.kind, shown, count(shown))
    return None


def readable(text: str) -> list[str]:
    """The lines as reducers look at them: without colour codes and blanks at the end. Same lines, same numbers."""
    plain = _COLOUR.sub("", text) if "\x1b" in text else text
    return [line.rstrip() for line in plain.split("\n")]


def _told_once(must: Sequence[int], lines: Sequence[str]) -> list[int]:
    """`must` without the lines that repeat an earlier one of them to the letter."""
    first: dict[str, int] = {}
    for line in sorted(must):
        first.setdefault(lines[line], line)
    return list(first.values())
