"""JSON: arrays and lines of records keep their opening and their first and last records whole.

Only lines leave, so pretty-printed JSON leaves at record borders, and JSON on one line leaves altogether: the
headline then tells its shape and its keys. Half a value is never shown as if it were data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from policies.reducers.errors import error_lines
from policies.reducers.order import ends, share
from policies.reducers.reducer import Outline, Ranking, Reducer

_SHAPE = re.compile(r'\s*(?:"(?:[^"\\]|\\.){0,200}"\s*:|[\[\]{}]|"|-?\d+(?:\.\d+)?,?$|(?:true|false|null),?$)')
_KEY = re.compile(r"[A-Za-z_][\w-]{0,30}$")
_INDENT = re.compile(r"[ \t]*")
LONGEST_ERROR = 2_000
"""A line of JSON longer than this is data, whatever it says."""
KEYS = 12
MANY_LINES = 20


def _recognises(lines: Sequence[str]) -> bool:
    first = next((line for line in lines if line), "").lstrip()
    if not first.startswith(("{", "[")):
        return False
    if _parsed(lines) is not None:
        return True
    return len(lines) >= 3 and share(lines, _SHAPE.match) >= 0.9 and any('"' in line for line in lines[:20])


def _parsed(lines: Sequence[str]) -> Any | None:
    """The text's value; the list of them where each line is one; None if it is not JSON with something in it."""
    try:
        value = json.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return _by_line([line for line in lines if line])
    return value if isinstance(value, (dict, list)) and value else None


def _by_line(lines: Sequence[str]) -> list[Any] | None:
    if len(lines) < 2 or not all(line.startswith("{") and line.endswith("}") for line in lines):
        return None
    try:
        return [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return None


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    must = [number for number in error_lines(lines) if len(lines[number]) <= LONGEST_ERROR]
    return Ranking(must, _order(lines), _facts(_parsed(lines)))


def _order(lines: Sequence[str]) -> Iterator[int | range]:
    """Opening and closing line, then the members from both ends, each whole."""
    yield from (0, len(lines) - 1)
    yield from _within(lines, range(1, len(lines) - 1))


def _within(lines: Sequence[str], span: range) -> Iterator[int | range]:
    """Members from both ends; one that takes many lines may also be shown by its own members."""
    members = list(_members(lines, span))
    for position in ends(len(members)):
        member = members[position]
        yield member
        if len(member) > MANY_LINES and len(member) < len(span):
            yield from (member[0], member[-1])
            yield from _within(lines, member[1:-1])


def _members(lines: Sequence[str], span: range) -> Iterator[range]:
    """The runs of lines that make one member each of the value whose inside is `span`."""
    depth = min((_indent(lines[number]) for number in span if lines[number]), default=0)
    start = span.start
    for number in span[1:]:
        if _indent(lines[number]) <= depth and not lines[number].lstrip().startswith(("]", "}")):
            yield range(start, number)
            start = number
    if start < span.stop:
        yield range(start, span.stop)


def _indent(line: str) -> int:
    match = _INDENT.match(line[:200])
    return match.end() if match else 0


def _facts(value: Any | None) -> str:
    """Shape, number of members and keys. Only what looks like a name is told: a key is not ours to word."""
    match value:
        case list():
            first = next((item for item in value if isinstance(item, dict)), None)
            return f"list of {len(value)}" + (f", keys {_named(first)}" if first else "")
        case dict():
            key, inner = max(value.items(), key=lambda item: len(item[1]) if isinstance(item[1], list) else -1)
            named = f"object with keys {_named(value)}"
            inside = isinstance(inner, list) and _KEY.match(key)
            return f"{named}; {key} is a {_facts(inner)}" if inside else named
        case _:
            return ""


def _named(record: dict[str, Any]) -> str:
    names = [key for key in record if _KEY.match(key)][:KEYS]
    return ", ".join(names) + (f" and {len(record) - len(names)} more" if len(record) > len(names) else "")


RECORDS = Reducer("json", _recognises, _rank)
