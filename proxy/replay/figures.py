"""From rows to figures: of one session, and of many together. `glossary.py` says what each one means.

Only requests that were forwarded count, on both sides. Figures are kept as sums, so that a total is their sum and
its ratios those of the sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate
from typing import Any

from policies.terms import CachePrices
from proxy.replay.prompt import OUTPUT_PRICE, Sent, bill
from proxy.replay.recall import NO_USES, Recall
from proxy.replay.rows import Played, Replayed, Row
from proxy.replay.summariser import PRICE


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the comparison, in tokens, counts, and units of one input token's price."""

    tokens: int = 0
    cached: int = 0
    peak: int = 0
    breaks: int = 0
    cost: float = 0.0

    def __add__(self, other: Side) -> Side:
        return Side(
            self.tokens + other.tokens,
            self.cached + other.cached,
            max(self.peak, other.peak),
            self.breaks + other.breaks,
            self.cost + other.cost,
        )


NO_SIDE = Side()


@dataclass(frozen=True, slots=True)
class Figures:
    """What a session amounts to, or many. Ratios are None where there is nothing to divide by."""

    sessions: int = 0
    requests: int = 0
    brakes: int = 0
    over_window: int = 0
    output: int = 0
    untouched: Side = NO_SIDE
    forwarded: Side = NO_SIDE
    cost_without_our_tool: float = 0.0
    worst: float | None = None
    worst_without_our_tool: float | None = None
    window_batches: int = 0
    cost_batches: int = 0
    evidence: Recall = NO_USES
    reuse: Recall = NO_USES
    faults: int = 0
    failed_open: int = 0
    restarts: int = 0
    restarts_identical: int = 0
    readings: int = 0
    first_pages: int = 0
    failed_readings: int = 0
    summaries: int = 0
    summary_cost: float = 0.0

    def __add__(self, other: Figures) -> Figures:
        """Both as one: sums, but the larger of the worst ratios."""
        joined: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in _SUMMED}
        joined |= {name: _larger(getattr(self, name), getattr(other, name)) for name in _WORST}
        return Figures(**joined)

    @property
    def cost_ratio(self) -> float | None:
        """Cost, proxied over untouched."""
        return ratio(self.forwarded.cost, self.untouched.cost)

    @property
    def cost_ratio_without_our_tool(self) -> float | None:
        """The same had our tool's definition no weight."""
        return ratio(self.cost_without_our_tool, self.untouched.cost)

    @property
    def token_ratio(self) -> float | None:
        """Tokens, proxied over untouched."""
        return ratio(self.forwarded.tokens, self.untouched.tokens)

    @property
    def batches(self) -> int:
        """Batches, whatever forced them."""
        return self.window_batches + self.cost_batches

    @property
    def readings_per_100(self) -> float | None:
        """Simulated readings per 100 requests."""
        return ratio(100 * self.readings, self.requests)

    @property
    def first_page_share(self) -> float | None:
        """Share of the readings whose first page held what was looked for."""
        return ratio(self.first_pages, self.readings)

    def stability(self, side: Side) -> float | None:
        """Share of a side's tokens that the previous request's prefix held."""
        return ratio(side.cached, side.tokens)

    def breaks(self, side: Side) -> float | None:
        """A side's breaks per 100 requests."""
        return ratio(100 * side.breaks, self.requests)


FAILED = frozenset({"unknown", "expired", "failed", "misread"})
"""Results of a reading that give the model nothing although it asked for what a marker names."""

_WORST = ("worst", "worst_without_our_tool")
_SUMMED = tuple(one.name for one in fields(Figures) if one.name not in _WORST)


@dataclass(frozen=True, slots=True)
class Course:
    """A session's cumulative cost after each forwarded request."""

    untouched: tuple[float, ...]
    forwarded: tuple[float, ...]

    @property
    def worst(self) -> float | None:
        """The dearest ratio at which the session could have ended."""
        return max(map(_over, self.forwarded, self.untouched), default=None)


def figures(played: Played) -> Figures:
    """The figures of one session under one regime."""
    rows = [row for row in played.rows if row.forwarded is not None]
    course, spared = course_of(rows, played.prices), course_of(rows, played.prices, with_our_tool=False)
    outputs = [row.output for row in rows]
    return Figures(
        sessions=1,
        requests=len(rows),
        brakes=len(played.rows) - len(rows),
        over_window=sum(row.over_window for row in played.rows),
        output=sum(outputs),
        untouched=_side([row.untouched for row in rows], outputs, played.prices),
        forwarded=_forwarded(rows, played.prices),
        cost_without_our_tool=spared.forwarded[-1] if rows else 0.0,
        worst=course.worst,
        worst_without_our_tool=spared.worst,
        window_batches=sum(row.new_batches.count("window") for row in rows),
        cost_batches=sum(row.new_batches.count("cost") for row in rows),
        evidence=sum((row.evidence for row in rows), NO_USES),
        reuse=sum((row.reuse for row in rows), NO_USES),
        faults=sum(len(row.faults) for row in rows),
        failed_open=sum(row.failed_open for row in rows),
        restarts=played.restart is not None,
        restarts_identical=bool(played.restart),
        readings=sum(len(row.rounds) for row in rows),
        first_pages=sum(one.is_first_page_enough for row in rows for one in row.rounds),
        failed_readings=sum(one.result in FAILED for row in rows for one in row.rounds),
        summaries=sum(len(row.summaries) for row in rows),
        summary_cost=sum(map(summary_bill, rows)),
    )


def course_of(rows: Iterable[Row], prices: CachePrices, *, with_our_tool: bool = True) -> Course:
    """How both bills grow. Requests that the brake answered are left out."""
    untouched: list[float] = []
    forwarded: list[float] = []
    for row in rows:
        if row.forwarded is not None:
            tool = 0 if with_our_tool else row.our_tool
            beside = sum(bill(one.sent.without(tool), one.output, prices) for one in row.rounds)
            beside += summary_bill(row)
            untouched.append(bill(row.untouched, row.output, prices))
            forwarded.append(bill(row.forwarded.without(tool), row.output, prices) + beside)
    return Course(tuple(accumulate(untouched)), tuple(accumulate(forwarded)))


def total(of: Sequence[Figures]) -> Figures:
    """Many sessions as one."""
    return sum(of, Figures())


def reading_back(of: Sequence[Replayed]) -> Figures:
    """All sessions as one, played with a model that reads back what it lacks; no session where there is no way back."""
    return total([figures(one.reading_back) for one in of if one.reading_back])


def ratio(part: float, whole: float) -> float | None:
    """None where there is no whole."""
    return part / whole if whole else None


def _forwarded(rows: Sequence[Row], prices: CachePrices) -> Side:
    """The proxied side, the requests of simulated readings among the others."""
    went = [(row.forwarded, row.output) for row in rows if row.forwarded]
    went += [(one.sent, one.output) for row in rows for one in row.rounds]
    side = _side([sent for sent, _ in went], [output for _, output in went], prices)
    return replace(side, cost=side.cost + sum(map(summary_bill, rows)))


def summary_bill(row: Row) -> float:
    """What the summaries made for a request cost, in units of one input token of the agent's model."""
    return sum(PRICE * (one.input + OUTPUT_PRICE * one.output) for one in row.summaries)


def _side(requests: Sequence[Sent], outputs: Sequence[int], prices: CachePrices) -> Side:
    return Side(
        tokens=sum(one.tokens for one in requests),
        cached=sum(one.cached for one in requests),
        peak=max((one.tokens for one in requests), default=0),
        breaks=sum(one.broke for one in requests),
        cost=sum(bill(one, output, prices) for one, output in zip(requests, outputs, strict=True)),
    )


def _larger(one: float | None, other: float | None) -> float | None:
    return max((ratio for ratio in (one, other) if ratio is not None), default=None)


def _over(own: float, untouched: float) -> float:
    return own / untouched if untouched else 1.0
