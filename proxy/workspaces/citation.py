"""Places as the model reads and repeats them: `src/boat.py:10-40@3fa2c1d0`, with or without the mark."""

from __future__ import annotations

import re
from dataclasses import dataclass

from proxy.retrieval.pages import Cursor
from proxy.workspaces.symbol import Hit

_PLACE = re.compile(
    r"(?P<path>\S.*?):L?(?P<line>\d{1,9})(?::(?P<skip>\d{1,9}))?(?:[-\u2013]L?(?P<last>\d{1,9})?)?(?:@(?P<mark>[0-9a-f]{8}))?(?:[\s,;].*)?"
)


@dataclass(frozen=True, slots=True)
class Citation:
    """Lines of a file, and by what they are known again; `mark` None where the model wrote the place itself."""

    path: str
    start: Cursor
    last: int
    mark: int | None


def cited(written: str) -> Citation | None:
    """The place that a text begins with, also where more of a line of ours was copied; None for anything else."""
    match = _PLACE.fullmatch(written.strip().strip("`'\""))
    if match is None:
        return None
    line = max(1, int(match["line"]))
    last = max(line, int(match["last"] or line))
    mark = int(match["mark"], 16) if match["mark"] else None
    return Citation(match["path"].removeprefix("./"), Cursor(line, int(match["skip"] or 0)), last, mark)


def cite(path: str, start: Cursor, last: int, mark: int) -> str:
    """The place as a text that `cited` reads."""
    return f"{path}:{start.encoded()}-{last}@{mark:08x}"


def cite_hit(hit: Hit) -> str:
    """Where a definition stands, and what it is."""
    symbol = hit.symbol
    return f"{cite(hit.shown, Cursor(symbol.first), symbol.last, symbol.mark)} {symbol.kind} {symbol.qualified}"
