"""Where a name is defined in a text: by the outline that is handed in, else by the words that begin definitions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from policies.reducers.reducer import Outline
from policies.reducers.source import bare, language_of

LONGEST_NAME = 200

_KEYWORD = (
    r"\s*(?:[\w@()<>\[\]:]+\s+){{0,6}}?(?:def|class|func|function\*?|fn|struct|enum|interface|trait|impl|type|union|module|mod|"
    r"namespace|record|object|protocol|extension|macro_rules!|const|let|var|val)\s+(?:\([^)]*\)\s*)?(?:self\.)?{name}(?!\w)"
)
_TYPED = r"\s*(?:[A-Za-z_][\w*&<>\[\],:.]*\s+)+[*&]*(?:\w+::)*{name}\s*\([^;]*$"
_NOT_A_TYPE = re.compile(r"\s*(?:return|await|yield|else|throw|raise|new|assert|print|case|not|and|or|in|if|while)\b")
_GOES_ON = re.compile(r"\s*(?:[{}\])]|end\b)")
_BELONGS = re.compile(r"\s*(?:@|#\[)")
_SEARCHED_OF_A_LINE = 300


def definitions(text: str, symbol: str, outline: Outline) -> list[tuple[int, int]]:
    """First and last line (from 1) of each definition of `symbol`, in order. `Owner.name` looks inside the owner."""
    *owners, name = re.split(r"\.|::|#", symbol.strip().removesuffix("()"))
    if not 0 < len(name) <= LONGEST_NAME:
        return []
    lines = bare(text.split("\n"))
    named = outline("\n".join(lines), language_of(lines))
    found = [_extent(lines, start) for start in _starts(lines, name, named)]
    if owners and owners[-1]:
        around = [_extent(lines, start) for start in _starts(lines, owners[-1], named)]
        inside = [each for each in found if any(first < each[0] <= last for first, last in around)]
        return inside or found
    return found


def _starts(lines: Sequence[str], name: str, named: Sequence[tuple[int, str]]) -> list[int]:
    by_outline = [number for number, found in named if re.split(r"\.|::|#", found)[-1] == name]
    if by_outline:
        return [number for number in by_outline if 0 <= number < len(lines)]
    said = re.escape(name)
    for pattern in (_KEYWORD.format(name=said), _TYPED.format(name=said)):
        match = re.compile(pattern).match
        starts = [number for number, line in enumerate(lines) if name in line and _defines(match, line)]
        if starts:
            return starts
    return []


def _defines(match: Callable[[str], object], line: str) -> bool:
    shown = line[:_SEARCHED_OF_A_LINE]
    return match(shown) is not None and _NOT_A_TYPE.match(shown) is None


def _extent(lines: Sequence[str], start: int) -> tuple[int, int]:
    """From the decorators to the last line that is indented deeper or closes what was opened."""
    indent, last = _indent(lines[start]), start
    for number in range(start + 1, len(lines)):
        if not lines[number].strip():
            continue
        depth = _indent(lines[number])
        if depth < indent or (depth == indent and not _GOES_ON.match(lines[number])):
            break
        last = number
    first = start
    while first > 0 and _BELONGS.match(lines[first - 1]) and _indent(lines[first - 1]) == indent:
        first -= 1
    return first + 1, last + 1


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())
