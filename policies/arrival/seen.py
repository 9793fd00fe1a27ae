"""Which large results were seen before, and where each first stood."""

from __future__ import annotations

from collections.abc import Container
from typing import Self

from policies.view import Change, Place, View, place


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

    def again(self, view: View, index: int, part: int, locator: str) -> bool:
        """Whether the same text stands whole further up; if not, it is from now on this one that does."""
        place = self.first.get(locator)
        if place is not None and view.is_whole(*place):
            return True
        self.first[locator] = (index, part)
        return False

    def owed(self, view: View, keep: int, leaving: Container[Place]) -> int:
        """What kept repeats would take up again if the places in `leaving` were cleared."""
        return sum(
            change.before - change.after
            for change in self._kept_pointers(view, keep)
            if (self.first[change.locator][0], False, self.first[change.locator][1]) in leaving
        )

    def repoint(self, view: View, keep: int) -> None:
        """After a batch: give kept repeats their text again where the first copy no longer stands whole."""
        lost = [c for c in self._kept_pointers(view, keep) if not view.is_whole(*self.first[c.locator])]
        for change in sorted(lost, key=lambda change: change.index, reverse=True):
            index, _, part = place(change)
            self.first[change.locator] = (index, part)  # in the end the first of them: the one to point at from now on
        view.restore(place(change) for change in lost)

    def _kept_pointers(self, view: View, keep: int) -> list[Change]:
        kept_from = view.turns[view.keep_start(keep)].start if view.turns else 0
        return [change for change in view.changes.values() if change.by == "repeat" and change.index >= kept_from]
