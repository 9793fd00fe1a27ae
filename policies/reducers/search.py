"""Search results of grep, ripgrep and git grep: at least the first match of each file before the second of any.

Nothing is an error line here: what was found is content, and was searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from policies.reducers.reducer import Outline, Ranking, Reducer

_MATCH = re.compile(
    r"(?P<path>(?:[A-Za-z]:\\)?[^\s:]{1,300}):\d+:(?:\d+:)?|(?P<name>(?=[^\s:/]*/)[^\s:]{1,300}\.\w{1,8}):(?=\S|\s{2})"
)
_CONTEXT = re.compile(r"(?P<path>[^\s:]{1,300}\.\w{1,8})-\d+-|--$")
_NUMBERED = re.compile(r"\d+[:-]")
_PATH = re.compile(r"(?=[^\s:]*[A-Za-z])[^\s:]*[/.\\][^\s:]*$")
MOSTLY = 0.7


def _recognises(lines: Sequence[str]) -> bool:
    said = [line for line in lines if line]
    if len(said) < 3:
        return False
    found = list(_files(lines))
    matches = sum(1 for path in found if path)
    fits = sum(1 for line, path in zip(lines, found, strict=True) if line and path is not None)
    return matches >= 2 and fits >= MOSTLY * len(said)


def _files(lines: Sequence[str]) -> Iterator[str | None]:
    """For each line the file of the match it holds; "" for headings, context and separators, None for other lines."""
    heading = ""
    for line in lines:
        match = _MATCH.match(line)
        path = match and (match["path"] or match["name"])
        if path and _PATH.match(path):
            yield path
        elif heading and _NUMBERED.match(line[:20]):
            yield heading if ":" in line[:20] else ""
        elif len(line) <= 300 and _PATH.match(line):
            heading = line
            yield ""
        else:
            yield "" if _CONTEXT.match(line) else None


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    found = list(_files(lines))
    seen: dict[str, int] = {}
    matches: list[tuple[int, int]] = []
    others: list[int] = []
    for number, path in enumerate(found):
        if path:
            seen[path] = seen.get(path, 0) + 1
            matches.append((seen[path], number))
        else:
            others.append(number)
    headings = [number for number in others if found[number] == "" and _PATH.match(lines[number][:301])]
    facts = f"{len(matches)} matches in {len(seen)} files"
    firsts = [number for turn, number in matches if turn == 1]
    return Ranking((), [*_together(headings, firsts), *(number for _, number in sorted(matches)), *others], facts)


def _together(headings: Sequence[int], firsts: Sequence[int]) -> list[int]:
    """Headings and first matches in the order of the text, so that no heading stands without its match."""
    return sorted({*headings, *firsts})


SEARCH = Reducer("search results", _recognises, _rank)
