"""What tests of reducers share: a counter, an outline by keywords, and the reading of a preview."""

from __future__ import annotations

import re
from collections.abc import Sequence

LOCATOR = "art_abcdefghijkl"
_GAP = re.compile(r"\[lines (\d+)-(\d+) left out\]$|\[Forebay: lines (\d+)-(\d+) left out; all kept as art_\w+\]$")


def count(text: str) -> int:
    """About as many tokens as a tokenizer would find: words by their length, every other sign one."""
    return sum(1 + len(word) // 6 for word in re.findall(r"\w+|[^\w\s]", text)) + text.count("\n")


def outline(text: str, language: str) -> Sequence[tuple[int, str]]:
    """Definitions by keyword, as a parser would find them."""
    defined = re.compile(r"\s*(?:pub |export |public )*(?:def|func|fn|class|function|interface|struct)\s+(\w+)")
    return [(n, match[1]) for n, line in enumerate(text.split("\n")) if (match := defined.match(line))]


def no_outline(text: str, language: str) -> Sequence[tuple[int, str]]:
    return ()


def shown(page: str, original: str) -> set[int]:
    """The line numbers (from 0) of `original` that stand on the page.

    Fails unless kept lines and marked gaps cover the original once, in order, to the letter.
    """
    lines = original.split("\n")
    kept: set[int] = set()
    at = 0
    for line in page.split("\n"):
        gap = _GAP.match(line)
        if gap and int(gap[1] or gap[3]) == at + 1:
            at = int(gap[2] or gap[4])
            continue
        assert at < len(lines), f"more lines than the original has: {line!r}"
        assert line == lines[at], f"line {at + 1} differs"
        kept.add(at)
        at += 1
    assert at == len(lines), f"lines {at + 1}-{len(lines)} are neither shown nor marked"
    return kept


def body(preview: str) -> str:
    """A preview without its headline."""
    return preview.partition("\n")[2]
