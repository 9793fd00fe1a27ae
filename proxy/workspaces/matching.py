"""Which definitions a model means by a name, the best first; the same question has the same order everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from proxy.workspaces.symbol import Symbol

LONGEST_QUERY = 200
EXACT, SAME_BUT_CASE, BEGINS, CONTAINS, HAS_WORDS = range(5)
"""How a name matches, the best first."""
OWNER_DIFFERS = 10
"""Added where the query names an owner, and the definition has another."""

_KEYWORD = re.compile(
    r"(?:(?:def|class|func|function|fn|struct|enum|interface|trait|impl|type|record|module|method)\s+)+(?=\S)"
)
_OWNER_END = re.compile(r"::|[.#]|->")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[^A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

Match = tuple[int, str, Symbol]
"""The rank, the path of the file, the definition."""


@dataclass(frozen=True)
class Query:
    """What is asked for: a name, perhaps with its owner; or words that a name holds."""

    name: str
    owner: str = ""

    @cached_property
    def folded(self) -> str:
        """The name without case and separators."""
        return fold(self.name)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the name."""
        return words(self.name)


class Ranks:
    """How well definitions match a query; each name and each owner is looked at once."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._by_name: dict[str, tuple[int | None, frozenset[str]]] = {}
        self._unlike: set[str] = set()
        self._by_owner: dict[str, frozenset[str]] = {}

    def matches(self, path: str, symbols: Iterable[Symbol]) -> Iterator[Match]:
        """Those of a file's definitions that match."""
        for symbol in symbols:
            if symbol.name not in self._unlike and (rank := self._of(path, symbol)) is not None:
                yield rank, path, symbol

    def _of(self, path: str, symbol: Symbol) -> int | None:
        if symbol.name not in self._by_name:
            rank, begun = self._rank(symbol.name), self._begun(symbol.name)
            if rank is None and not begun:
                self._unlike.add(symbol.name)
                return None
            self._by_name[symbol.name] = rank, self._query.words - begun
        rank, missing = self._by_name[symbol.name]
        if rank is None:
            if missing and not missing <= self._of_owner(symbol.owner):
                return None
            rank = HAS_WORDS
        return rank if self._is_owner(path, symbol) else rank + OWNER_DIFFERS

    def _of_owner(self, owner: str) -> frozenset[str]:
        if owner not in self._by_owner:
            self._by_owner[owner] = self._begun(owner)
        return self._by_owner[owner]

    def _rank(self, name: str) -> int | None:
        folded, wanted = fold(name), self._query.folded
        if name == self._query.name:
            return EXACT
        if not wanted or wanted not in folded:
            return None
        if folded == wanted:
            return SAME_BUT_CASE
        return BEGINS if folded.startswith(wanted) else CONTAINS

    def _begun(self, name: str) -> frozenset[str]:
        """Those of the words that begin a word of the name."""
        plain = name.casefold()
        likely = [word for word in self._query.words if word in plain]  # saves taking nearly every name apart
        there = words(name) if likely else ()
        return frozenset(word for word in likely if any(each.startswith(word) for each in there))

    def _is_owner(self, path: str, symbol: Symbol) -> bool:
        """Whether the definition belongs to the owner that the query names, be it the file."""
        owner = self._query.owner
        return not owner or owner in (symbol.owner, path.rpartition("/")[2].partition(".")[0])


def queried(text: str) -> Query:
    """`Owner.name`, `Owner::name`, `def name(...)`, `name()` or words."""
    said = _KEYWORD.sub("", text[:LONGEST_QUERY].strip(), count=1).partition("(")[0].strip(" *`'\";:.")
    *before, name = _OWNER_END.split(said)
    return Query(name.strip(), before[-1].strip() if before else "")


def matching(query: Query, files: Iterable[tuple[str, Sequence[Symbol]]], most: int) -> tuple[list[Match], int]:
    """The best matches in files, best first, and how many there are in all."""
    ranks = Ranks(query)
    found = [match for path, symbols in files for match in ranks.matches(path, symbols)]
    return sorted(found, key=order)[:most], len(found)


def order(match: Match) -> tuple[int, int, str, str, int, int]:
    """By what matches are sorted: rank, then the shorter name, then where it stands."""
    rank, path, symbol = match
    return rank, len(symbol.name), symbol.name, path, symbol.first, symbol.last


def fold(name: str) -> str:
    """A name without case and separators."""
    return name.replace("_", "").replace("-", "").replace(" ", "").casefold()


def words(name: str) -> frozenset[str]:
    """The words of a name in snake or camel case."""
    return frozenset(word.casefold() for run in _WORD.findall(name) for word in _HUMP.split(run))
