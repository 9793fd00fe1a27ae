"""Recall: of the evidence that an answer relies on, how much could the model still see?

Two questions. *Evidence*: of what had stood in tool results and nowhere else, the share still there when it is first
used. *Reuse*: of what had stood in tool results or in arguments of earlier calls, used for the first time or
again, and was not told by system text, user or tool definitions: it sees what clearing arguments costs.
Numbers are of uses: one item in one answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.replay.said import Said


@dataclass(frozen=True, slots=True)
class Recall:
    """Uses, and how many of them stood in the forwarded context; `reachable` adds those behind a locator shown there,
    `without_names` is `in_context` had stubs no lists of names."""

    used: int = 0
    in_context: int = 0
    reachable: int = 0
    without_names: int = 0

    @property
    def share(self) -> float | None:
        """The share in context; None where nothing was used."""
        return self.in_context / self.used if self.used else None

    def __add__(self, other: Recall) -> Recall:
        return Recall(
            self.used + other.used,
            self.in_context + other.in_context,
            self.reachable + other.reachable,
            self.without_names + other.without_names,
        )


NO_USES = Recall()


class Before:
    """What had stood where, in the history as the client sent it."""

    def __init__(self, definitions: frozenset[str]) -> None:
        self._told = set(definitions)
        self._answered: set[str] = set()
        self._arguments: set[str] = set()
        self._results: set[str] = set()

    def take(self, said: Said) -> None:
        """One more message of the history."""
        match said.role:
            case "tool":
                self._results |= said.text
            case "assistant":
                self._answered |= said.text | said.calls
                self._arguments |= said.arguments
            case _:
                self._told |= said.text

    def evidence(self, used: frozenset[str]) -> frozenset[str]:
        """Of what is used, that which had stood in tool results only."""
        return (used & self._results) - self._told - self._answered - self._arguments

    def reuse(self, used: frozenset[str]) -> frozenset[str]:
        """Of what is used, that which had stood in tool results or arguments, and was not told."""
        return ((used & self._results) | (used & self._arguments)) - self._told


class _Shown(NamedTuple):
    items: Counter[str]
    plain: Counter[str]
    locators: Counter[str]


class InView:
    """What stands in the forwarded context. Follows it from request to request, so that only changes cost."""

    def __init__(self, said_by: Callable[[bytes], Said]) -> None:
        self._said_by = said_by
        self._digests: Sequence[bytes] = ()
        self._shown = _Shown(Counter(), Counter(), Counter())

    def show(self, digests: Sequence[bytes]) -> None:
        """The messages of the next request."""
        kept = shared_start(self._digests, digests)
        old, new = Counter(self._digests[kept:]), Counter(digests[kept:])
        self._change(new - old, 1)
        self._change(old - new, -1)
        self._digests = digests

    def locators(self) -> Iterable[str]:
        """The locators that can be read there."""
        return (locator for locator, times in self._shown.locators.items() if times)

    def recall(self, used: frozenset[str], behind: Mapping[str, frozenset[str]]) -> Recall:
        """How many of `used` are there; `behind` holds the items of each original that can be fetched."""
        shown = self._shown
        lost = [item for item in used if not shown.items[item]]
        fetched = sum(map(len, self.wanted(frozenset(lost), behind).values()))
        seen = len(used) - len(lost)
        return Recall(len(used), seen, seen + fetched, sum(shown.plain[item] > 0 for item in used))

    def wanted(self, used: frozenset[str], behind: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
        """Of `used`, what is not there but behind a locator that is: by locator, each item once.

        The original that holds most of what is left is taken first.
        """
        live = {locator: behind[locator] for locator in self.locators() if locator in behind}
        lost = frozenset(item for item in used if not self._shown.items[item])
        chosen: dict[str, frozenset[str]] = {}
        while lost and live:
            locator = max(live, key=lambda each: (len(live[each] & lost), each))
            if not live[locator] & lost:
                break
            chosen[locator] = live[locator] & lost
            lost -= live[locator]
        return chosen

    def _change(self, digests: Counter[bytes], sign: int) -> None:
        for digest, times in digests.items():
            said = self._said_by(digest)
            for counter, found in zip(self._shown, (said.all, said.plain, said.locators), strict=True):
                for item in found:
                    counter[item] += sign * times


def shared_start(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """How many elements both start with."""
    shared = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        shared += 1
    return shared
