"""What comes out of a replay: one row per request, under each price regime."""

from __future__ import annotations

from dataclasses import dataclass

from policies.fold import Reason
from policies.terms import CachePrices
from proxy.replay.prompt import Sent
from proxy.replay.recall import NO_USES, Recall
from proxy.replay.summariser import Summarised


@dataclass(frozen=True, slots=True)
class Round:
    """One simulated reading: the request that carried its result, `output` tokens that the call took, what became of
    it, and whether the first page held all that was looked for."""

    sent: Sent
    output: int
    result: str
    is_first_page_enough: bool


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
    rounds: tuple[Round, ...] = ()
    summaries: tuple[Summarised, ...] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """A session under one regime. `restart` says whether a fresh process repeats the last bytes; None where nothing
    was forwarded."""

    prices: CachePrices
    rows: tuple[Row, ...]
    restart: bool | None


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session, replayed under every regime, the one asked for first.

    `reading_back` is that one again with a model that reads back what it lacks; None where the policy has no way back.
    """

    name: str
    format: str
    mends: tuple[str, ...]
    played: tuple[Played, ...]
    reading_back: Played | None = None

    @property
    def main(self) -> Played:
        """Under the prices asked for."""
        return self.played[0]
