"""Dropping: which of the oldest turns leave.

A gap starts and ends before turns of the same role, so that roles alternate after it as they did before.
Pinned turns stay and split the gap; each part then obeys the same rule. So does the turn that holds the user's
latest words: they are the live order, however many tool calls ago they were said.
"""

from __future__ import annotations

from collections.abc import Sequence

from policies.turns import Turn


def droppable(turns: Sequence[Turn], boundary: int, spared: int | None = None) -> list[int]:
    """The turns before `boundary` that may leave together, in order; `spared` is one that may not."""
    chosen: list[int] = []
    run: list[int] = []
    for position in range(boundary):
        if turns[position].role == "system":
            continue
        if turns[position].pinned or position == spared:
            chosen += _gap(run, turns, position)
            run = []
        else:
            run.append(position)
    following = next((t for t in range(boundary, len(turns)) if turns[t].role != "system"), len(turns))
    return chosen + _gap(run, turns, following)


def _gap(run: list[int], turns: Sequence[Turn], following: int) -> list[int]:
    """The longest part of `run` that starts before a turn of the role that it ends before."""
    starts = {turns[position].role: offset for offset, position in reversed(list(enumerate(run)))}
    parts = [_trimmed(run[offset:], turns, following) for offset in starts.values()]
    return max(parts, key=len, default=[])


def _trimmed(run: list[int], turns: Sequence[Turn], following: int) -> list[int]:
    """`run` without the turns at its end that would make it end before a turn of another role."""
    while run and following < len(turns) and turns[following].role != turns[run[0]].role:
        following = run[-1]
        run = run[:-1]
    return run
