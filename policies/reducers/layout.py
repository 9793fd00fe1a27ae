"""Laying out a shorter text: whole lines in their order, each gap between them one marker line.

Which lines fit is estimated by their length, so that a long text costs no more than a few counts; the caller counts
what comes out. A line that is larger than what is left is itself a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

Gap = Callable[[int, int], str]
"""`gap(first, last)`: the marker of left-out lines, counted from 1."""

Kept = frozenset[int]

ROUNDS = 5
"""How often a selection is counted and made anew; estimates are seldom off twice."""
MISFITS = 200
"""After so many lines in a row that do not fit, nothing more is tried: the room is as good as full."""


class Layout:
    """Lines to choose from. A selection of line numbers is a set; nothing here changes one in place."""

    def __init__(self, lines: Sequence[str], tokens: int, gap: Gap, count: Callable[[str], int]) -> None:
        """`tokens` is what the whole text weighs."""
        rate = tokens / max(1, sum(map(len, lines)) + len(lines))
        self.lines = lines
        self.weights = [1 + int(len(line) * rate) for line in lines]
        self._gap = gap
        self._gap_tokens = count(gap(len(lines), len(lines)))

    def fitted(self, least: Kept, order: Iterable[int | range], limit: int, size: Callable[[Kept], int]) -> Kept:
        """`least` and what fits beside it, the first of `order` first, so that `size` of all is at most `limit`."""
        order = list(order)
        used = size(least)
        room = limit - used
        for _ in range(ROUNDS if room > 0 else 0):
            kept = self.bridged(self.grown(least, order, room))
            weighed = size(kept)
            if weighed <= limit:
                return kept
            room = room * (limit - used) * 9 // (10 * (weighed - used))
        return least

    def grown(self, kept: Kept, order: Iterable[int | range], room: int) -> Kept:
        """`kept` and as many lines of `order` as fit into `room` tokens, the first ones first."""
        chosen = set(kept)
        misfits = 0
        for piece in order:
            cost = self._cost(piece, chosen)
            if cost is None:
                continue
            if cost <= room:
                chosen.update((piece,) if isinstance(piece, int) else piece)
                room -= cost
                misfits = 0
            else:
                misfits += 1
                if misfits > MISFITS:
                    break
        return frozenset(chosen)

    def _cost(self, piece: int | range, chosen: set[int]) -> int | None:
        """What showing a line, or a range of lines together, costs more; None where it is shown already.

        A line between two hidden ones splits a gap, which costs a marker; one that fills a gap saves its marker.
        """
        first, last = (piece, piece) if isinstance(piece, int) else (piece[0], piece[-1])
        fresh = [line for line in range(first, last + 1) if line not in chosen]
        if not fresh:
            return None
        before = first == 0 or first - 1 in chosen
        after = last == len(self.lines) - 1 or last + 1 in chosen
        return sum(self.weights[line] for line in fresh) + self._gap_tokens * (1 - before - after)

    def bridged(self, kept: Kept) -> Kept:
        """`kept` and the gaps that weigh no more than their marker would."""
        small = (
            range(first, last + 1)
            for first, last in gaps(kept, len(self.lines))
            if last - first < self._gap_tokens and sum(self.weights[first : last + 1]) <= self._gap_tokens
        )
        return kept.union(*small)

    def text(self, kept: Kept) -> str:
        """The kept lines in order, each gap between them a marker."""
        shown: list[str] = []
        start = 0
        for first, last in gaps(kept, len(self.lines)):
            shown += self.lines[start:first]
            shown.append(self._gap(first + 1, last + 1))
            start = last + 1
        return "\n".join([*shown, *self.lines[start:]])


def gaps(kept: Kept, total: int) -> Iterator[tuple[int, int]]:
    """The first and last line (from 0) of each run of lines that are not kept."""
    start = 0
    for line in sorted(kept):
        if line > start:
            yield start, line - 1
        start = line + 1
    if start < total:
        yield start, total - 1
