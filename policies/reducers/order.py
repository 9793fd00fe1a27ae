"""Orders of lines that several reducers share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence


def around(marks: Sequence[int], total: int, reach: int = 2) -> Iterator[int]:
    """The context of marked lines: for each of them the next lines on either side, nearest first."""
    for mark in marks:
        for distance in range(1, reach + 1):
            for line in (mark - distance, mark + distance):
                if 0 <= line < total:
                    yield line


def ends(total: int) -> Iterator[int]:
    """All lines, from both ends towards the middle."""
    for offset in range((total + 1) // 2):
        yield offset
        if offset != total - 1 - offset:
            yield total - 1 - offset


def matching(lines: Sequence[str], match: Callable[[str], re.Match[str] | None]) -> list[int]:
    """The lines that `match` (the bound method of a compiled pattern) accepts."""
    return [number for number, line in enumerate(lines) if match(line)]


def without(order: Iterable[int], left: Iterable[int]) -> Iterator[int]:
    """`order` without the lines in `left`."""
    unwanted = set(left)
    return (line for line in order if line not in unwanted)


def share(lines: Sequence[str], match: Callable[[str], re.Match[str] | None]) -> float:
    """Which part of the lines that are not blank `match` accepts."""
    said = [line for line in lines if line and not line.isspace()]
    return sum(1 for line in said if match(line)) / len(said) if said else 0.0
