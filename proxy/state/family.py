"""What a session and all that it spawned come to: totals added up over children and theirs.

Anyone may name anyone as parent, so the family may be wide, deep or a ring: each session counts once, and only so
many are asked for, in only so many calls of the store.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

MOST = 1_000
"""Descendants that are counted in."""
AT_ONCE = 200
"""Sessions asked for in one call of the store: a large family is no reason to miss its time-out."""
MOST_CALLS = 50
"""Each generation takes one at least."""

Totals = Mapping[str, int | float]


@dataclass(frozen=True, slots=True)
class Member:
    """One session of a family: its own totals and its children, latest first."""

    totals: Totals
    children: Sequence[str]


@dataclass(frozen=True, slots=True)
class Family:
    """`descendants` were counted into `totals`; `is_whole` says that there are no more."""

    totals: Totals
    descendants: int
    is_whole: bool


async def family(
    session: str, root: Member, members: Callable[[Sequence[str]], Awaitable[Sequence[Member | None]]]
) -> Family:
    """Add up. `members(names)` are these sessions in order, None for one that has expired."""
    totals: dict[str, int | float] = dict(root.totals)
    seen = {session}
    waiting = _new(root.children, seen)
    counted, left = 0, MOST
    for _ in range(MOST_CALLS):
        names = waiting[: min(AT_ONCE, left)]
        if not names:
            break
        waiting = waiting[len(names) :]
        left -= len(names)
        for member in await members(names):
            if member is None:
                continue
            counted += 1
            waiting += _new(member.children, seen)
            for name, amount in member.totals.items():
                totals[name] = totals.get(name, 0) + amount
    return Family(totals, counted, not waiting)


def _new(children: Sequence[str], seen: set[str]) -> list[str]:
    """Those not met before, from now on met."""
    found = [child for child in dict.fromkeys(children) if child not in seen]
    seen.update(found)
    return found
