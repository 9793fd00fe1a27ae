"""The cost rule: when to edit for money's sake.

Ski rental (derived in docs/decisions/0002-batches-and-ski-rental.md). Holding R clearable tokens costs their read
price on every request: that is the rent. Clearing them makes the provider write the S tokens behind them anew:
that is the price of buying. Pay rent until what was paid covers the price (`PATIENCE` times), then buy; no guess of
the session's length is needed. The account beside it bounds the loss if the session ends right after: the own bill may
exceed the untouched one by `slack` at the most.

Bills are in units of one input token at the ordinary price.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from policies.terms import CachePrices

PATIENCE = 1.6
"""Rent is paid until it comes to so many times the price of buying. With 1 the batches come at the cheapest distance
n*. The cost curve is flat there: 1.26 n* costs 3 % of what batches cost and saves a fifth of them (docs/steps.md)."""

UNCACHED_TURNS = 10
"""Where reading costs as much as writing, there is no cache to protect: clear every tenth turn."""


@dataclass(frozen=True, slots=True)
class Account:
    """Rent paid since the last batch, and both bills so far.

    `untouched_sent` and `sent` are the sizes of the latest request as it came and as it went, `read` the part of
    the latter that the provider's cache held.
    """

    rent: float = 0.0
    turns: int = 0
    untouched: float = 0.0
    own: float = 0.0
    untouched_sent: int = 0
    sent: int = 0
    read: int = 0

    def requested(self, untouched: int, sent: int, prices: CachePrices) -> Account:
        """One more request whose prefix is the one before: what is new is written, the rest read."""
        return replace(
            self,
            turns=self.turns + 1,
            untouched=self.untouched + _bill(untouched, self.untouched_sent, prices),
            own=self.own + _bill(sent, self.sent, prices),
            untouched_sent=untouched,
            sent=sent,
            read=self.sent,
        )

    def holding(self, clearable: int, prices: CachePrices) -> Account:
        """One more request's rent for what could have been cleared."""
        return replace(self, rent=self.rent + prices.read * clearable)

    def pays(self, clearable: int, behind: int, slack: float, prices: CachePrices) -> bool:
        """Whether clearing now is due and stays within the account; `behind` tokens would be written anew."""
        if clearable <= 0:
            return False
        if prices.read >= prices.write:
            return self.turns >= UNCACHED_TURNS
        price = (prices.write - prices.read) * behind
        if self.rent < PATIENCE * price:
            return False
        return self.own + price - prices.read * clearable <= (1 + slack) * self.untouched

    def spent(self, amount: float) -> Account:
        """The own bill holds this too: what a summary cost."""
        return replace(self, own=self.own + amount)

    def rewritten(self, sent: int, unchanged: int, prices: CachePrices) -> Account:
        """The latest request goes out as `sent` tokens instead, of which the first `unchanged` can be read.

        Starts a new rent.
        """
        read = min(self.read, unchanged)
        change = _bill(sent, read, prices) - _bill(self.sent, self.read, prices)
        return replace(self, rent=0.0, turns=0, own=self.own + change, sent=sent, read=read)


def _bill(total: int, cached: int, prices: CachePrices) -> float:
    """The input price of `total` tokens of which the first `cached` are read."""
    cached = min(total, cached)
    return prices.read * cached + prices.write * (total - cached)
