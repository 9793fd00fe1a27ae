"""What a fixed part costs: a call, and so many calls a day, with and without the provider's prompt cache.

Uncached is the most it can cost. With the cache, the first call of the day writes it and all others read it: the
least it can cost, for a cache that forgets (after minutes, where nobody calls) is written again.
"""

from __future__ import annotations

from dataclasses import dataclass

from proxy.upstream import Prices, Route

MILLION = 1_000_000
LEAST_CACHED = 1024
"""Tokens below which OpenAI and Anthropic cache no prompt; what follows the fixed part counts with it."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars. `first` is a call that writes the cache, `later` one that reads it; None where the price is unknown."""

    calls_per_day: int
    uncached: float
    first: float | None
    later: float | None

    @property
    def uncached_day(self) -> float:
        """A day on which the cache never helps."""
        return self.uncached * self.calls_per_day

    @property
    def cached_day(self) -> float | None:
        """A day with one write and reads from then on."""
        if self.first is None or self.later is None:
            return None
        return self.first + self.later * (self.calls_per_day - 1)


def cost(tokens: int, route: Route, calls_per_day: int) -> Cost | None:
    """The cost of so many counted tokens; None where the model has no known input price."""
    prices = route.prices
    if prices.input is None:
        return None
    millions = tokens * route.token_factor / MILLION
    plain = millions * prices.input
    if prices.cache_read is None:
        return Cost(calls_per_day, plain, None, None)
    return Cost(calls_per_day, plain, millions * _write(prices, prices.input), millions * prices.cache_read)


def _write(prices: Prices, plain: float) -> float:
    """Writing costs what an ordinary token does where the table has no price for it."""
    return prices.cache_write or plain
