"""File listings of ls, find, tree, git and du: some of every folder before more of any."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.reducers.errors import error_lines
from policies.reducers.order import matching, share
from policies.reducers.reducer import Outline, Ranking, Reducer

_LONG = re.compile(r"[-dlbcps][-rwxsStT]{9}[+@.]? ")
_TREE = re.compile(r"[│|\s\u00a0]*(?:├──|└──|\|--|`--)")
_PATH = re.compile(r"(?:\d[\d.]*[KMGT]?\s+)?(?:[MADRCU?! ]{1,2} )?(?=[^\s:=;{}()<>\"']*[A-Za-z])[^\s:=;,{}()<>\"']+$")
_SLASHED = re.compile(r"\S*[/\\]|\S+\.\w{1,8}$")
_FOLDER = re.compile(r"(?=[^\s:]*[/.\\])[^\s:]*:$|total \d+$")
MOSTLY = 0.85


def _entry(line: str) -> re.Match[str] | None:
    short = line[:400]
    return (
        _LONG.match(short)
        or _TREE.match(short)
        or (_SLASHED.match(short) and _PATH.match(short))
        or _FOLDER.match(short)
    )


def _recognises(lines: Sequence[str]) -> bool:
    return sum(1 for line in lines if line) >= 5 and share(lines, _entry) >= MOSTLY


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    entries = set(matching(lines, _entry))
    must = [number for number in error_lines(lines) if number not in entries]
    seen: dict[str, int] = {}
    order: list[tuple[int, int]] = []
    folder = ""
    for number, line in enumerate(lines):
        if _FOLDER.match(line[:400]):
            folder = line if line.endswith(":") else folder
            order.append((0, number))
            continue
        place = f"{folder}{line[:400].rpartition('/')[0]}"
        seen[place] = seen.get(place, 0) + 1
        order.append((seen[place] // 2, number))
    last = range(max(0, len(lines) - 3), len(lines))
    facts = f"{len(entries)} entries in {max(1, len(seen))} folders"
    return Ranking(must, [0, *last, *(number for _, number in sorted(order))], facts)


LISTING = Reducer("file listing", _recognises, _rank)
