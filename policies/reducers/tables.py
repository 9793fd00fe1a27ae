"""Tables: CSV, TSV, Markdown tables, what databases print, and aligned columns under a heading in capitals.

The heading and the first and last rows tell the shape; a row that reports an error stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.reducers.errors import error_lines
from policies.reducers.order import ends
from policies.reducers.reducer import Outline, Ranking, Reducer

DELIMITERS = ("\t", ",", ";")
MOSTLY = 0.9
FEWEST_ROWS = 5
_RULE = re.compile(r"\s*[|+]?[-:=+| ]{3,}$")
_QUOTED = re.compile(r'"[^"]*"')
_CAPITALS = re.compile(r"[A-Z%#][A-Z0-9%#/()_.-]*(?:\s{1,40}[A-Z%#][A-Z0-9%#/()_.-]*){2,}$")


def _recognises(lines: Sequence[str]) -> bool:
    said = [line for line in lines if line]
    return len(said) >= FEWEST_ROWS and (_ruled(said) or _delimited(said) or _aligned(said))


def _ruled(said: Sequence[str]) -> bool:
    """A rule near the top, and bars in nearly every line."""
    rule = any(_RULE.match(line[:500]) and "-" in line for line in said[:3])
    return rule and sum(1 for line in said if "|" in line or _RULE.match(line[:500])) >= MOSTLY * len(said)


def _delimited(said: Sequence[str]) -> bool:
    """The same number of delimiters in nearly every line, and a heading of names."""
    head = said[0]
    for delimiter in DELIMITERS:
        fields = head.count(delimiter)
        names = not any(mark in head for mark in "={}();") or delimiter == ";"
        if fields >= (1 if delimiter == "\t" else 2) and names and "=" not in head:
            same = sum(1 for line in said if _QUOTED.sub("", line).count(delimiter) == fields)
            return same >= MOSTLY * len(said)
    return False


def _aligned(said: Sequence[str]) -> bool:
    """A heading of words in capitals, and at least as many words in nearly every row."""
    if not _CAPITALS.match(said[0][:500]):
        return False
    columns = len(said[0].split())
    return sum(1 for line in said if len(line.split()) >= columns - 1) >= MOSTLY * len(said)


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    total = len(lines)
    head = [number for number, line in enumerate(lines[:4]) if line][:1]
    rules = [number for number, line in enumerate(lines[:4]) if _RULE.match(line[:500])]
    rows = sum(1 for line in lines if line) - len(head) - len(rules)
    errors = [number for number in error_lines(lines) if number not in head]
    return Ranking([*head, *errors], [*rules, *ends(total)], f"about {rows} rows")


TABLE = Reducer("table", _recognises, _rank)
