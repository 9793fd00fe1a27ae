"""What comes out of a replay: one row per request, under each price regime."""

from __future__ import annotations

from dataclasses import dataclass

from policies.fold import Reason
from policies.terms import CachePrices
from proxy.replay.prompt import Sent
from proxy.replay.recall import NO_USES, Recall


@dataclass(frozen=True, slots=True)
class Row:
    """One request as it came and as it went. `forwarded` is None where the brake answered, and then neither side
    is billed. `our_tool` is what definitions of ours weigh in it; `new_batches` are those of this request."""

    untouched: Sent
    forwarded: Sent | None
    output: int
    over_window: bool
    our_tool: int = 0
    new_batches: tuple[Reason, ...] = ()
    evidence: Recall = NO_USES
    reuse: Recall = NO_USES
    faults: tuple[str, ...] = ()
    failed_open: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """A session under one regime. `restart` says whether a fresh process repeats the last bytes; None where nothing
    was forwarded."""

    prices: CachePrices
    rows: tuple[Row, ...]
    restart: bool | None


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session, replayed under every regime, the one asked for first."""

    name: str
    format: str
    mends: tuple[str, ...]
    played: tuple[Played, ...]

    @property
    def main(self) -> Played:
        """Under the prices asked for."""
        return self.played[0]
