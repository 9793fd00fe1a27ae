"""What a reducer is: the recogniser of one kind of output, and an order of its lines by how much they tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Outline = Callable[[str, str], Sequence[tuple[int, str]]]
"""`outline(text, language)`: line number (from 0) and name of each definition; nothing where it cannot tell."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Which lines tell most, by line number (from 0), most telling first.

    `must` stays verbatim whatever it costs: error lines, assertion diffs, the program's own frames. `then` are the
    others worth keeping, a range of lines where they are shown together or not at all; a line in neither leaves first.
    `facts` are counts for the headline.
    """

    must: Sequence[int]
    then: Iterable[int | range]
    facts: str = ""


@dataclass(frozen=True, slots=True)
class Reducer:
    """One kind of output. `recognises` goes by content and says no when unsure."""

    kind: str
    recognises: Callable[[Sequence[str]], bool]
    rank: Callable[[Sequence[str], Outline], Ranking]


def no_outline(_text: str, _language: str) -> Sequence[tuple[int, str]]:
    """For callers without a parser: source falls back to its definition keywords."""
    return ()
