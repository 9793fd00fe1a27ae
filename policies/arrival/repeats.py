"""Repeats: a result that is the same, to the letter, as one that still stands whole points back at it.

Where a batch takes the target away while the pointer's own turn is kept, the pointer gives way to the text again, so
that what was read lately never stands nowhere.
"""

from __future__ import annotations

from typing import Self

from policies import markers
from policies.edits import Replace
from policies.terms import Terms
from policies.view import View


class Seen:
    """Where each large result was first seen, by its locator."""

    __slots__ = ("first",)

    def __init__(self) -> None:
        self.first: dict[str, tuple[int, int]] = {}

    def copy(self) -> Self:
        """A memory that can grow apart from this one."""
        twin = object.__new__(type(self))
        twin.first = self.first.copy()
        return twin

    def repeat(self, view: View, index: int, part: int, tokens: int, locator: str, terms: Terms) -> Replace | None:
        """The pointer for a result whose first copy stands whole in the context; else remembers the result."""
        place = self.first.get(locator)
        if place is None or not view.is_whole(*place):
            self.first[locator] = (index, part)
            return None
        pointer = markers.repeated(tokens, locator)
        return Replace(index, part, pointer, locator, tokens, terms.count(pointer), "repeat")

    def repoint(self, view: View, keep: int) -> None:
        """After a batch: give kept repeats their text again where the first copy no longer stands whole."""
        kept_from = view.turns[view.keep_start(keep)].start
        lost = [
            where
            for where, change in view.changes.items()
            if change.by == "repeat" and change.index >= kept_from and not view.is_whole(*self.first[change.locator])
        ]
        for index, _, part in sorted(lost, reverse=True):  # the first of them is the one to point at from now on
            self.first[view.changes[index, False, part].locator] = (index, part)
        view.restore(lost)
