"""Which large results were seen before, and where each first stood."""

from __future__ import annotations

from typing import Self

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

    def again(self, view: View, index: int, part: int, locator: str) -> bool:
        """Whether the same text stands whole further up; if not, it is from now on this one that does."""
        place = self.first.get(locator)
        if place is not None and view.is_whole(*place):
            return True
        self.first[locator] = (index, part)
        return False

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
