"""HTML: title, headings, then lines with visible text; script and style leave first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.reducers.order import ends, matching, share
from policies.reducers.reducer import Outline, Ranking, Reducer

LOOKED_AT = 2_000
_OPENING = re.compile(r"\s*<(?:!doctype html|html)\b", re.IGNORECASE)
_TAG = re.compile(r"\s*</?[a-zA-Z][^<>]{0,500}>")
_KNOWN = re.compile(r"</(?:div|p|span|body|head|table|ul|li|a|section|main|nav|script|td|h[1-6])>", re.IGNORECASE)
_TITLE = re.compile(r"<title\b", re.IGNORECASE)
_HEADING = re.compile(r"<h[1-6]\b", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]{0,1000}>|&\w{1,10};")
_HIDDEN = re.compile(r"<(/?)(?:script|style|svg|noscript)\b[^<>]{0,500}>", re.IGNORECASE)
_WORD = re.compile(r"\w{2}")


def _recognises(lines: Sequence[str]) -> bool:
    if any(_OPENING.match(line[:100]) for line in [line for line in lines[:20] if line][:3]):
        return True
    tags = share([line[:LOOKED_AT] for line in lines], _TAG.match)
    return tags >= 0.5 and sum(1 for line in lines if _KNOWN.search(line[:LOOKED_AT])) >= 3


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    looked = [line[:LOOKED_AT] for line in lines]
    titles = matching(looked, _TITLE.search)
    headings = matching(looked, _HEADING.search)
    visible = _visible(looked)
    return Ranking(
        (), [*titles, *headings, *(visible[position] for position in ends(len(visible)))], f"{len(headings)} headings"
    )


def _visible(lines: Sequence[str]) -> list[int]:
    """The lines that show text outside of scripts and styles."""
    found: list[int] = []
    hidden = False
    for number, line in enumerate(lines):
        was_hidden = hidden
        for tag in _HIDDEN.finditer(line):
            hidden = not tag[1]
        if not hidden and not was_hidden and _WORD.search(_MARKUP.sub("", line)):
            found.append(number)
    return found


PAGE = Reducer("html", _recognises, _rank)
