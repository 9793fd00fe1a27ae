"""Under which terms sessions are replayed: policy, model, window, and the price regimes.

Each regime is a replay of its own, for the proxy knows its model's prices and edits by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from policies.schema import Policy
from policies.terms import CachePrices
from proxy.replay.prompt import OUTPUT_PRICE
from proxy.upstream import Prices, Route

NAME = "replay"
WINDOW = 272_000
PRICES = CachePrices(1.25, 0.1)
WRITTEN_OUT = (PRICES, CachePrices(1.0, 0.1), CachePrices(1.0, 1.0))
"""Regimes that are always reported: a fee for writing, none, and no cache at all."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What every session is replayed under; `prices` is the regime that was asked for, `others` are shown beside it."""

    policy_name: str
    policies: Mapping[str, Policy]
    route: Route
    prices: CachePrices
    others: tuple[CachePrices, ...] = WRITTEN_OUT

    @property
    def regimes(self) -> tuple[CachePrices, ...]:
        """The regime asked for, then the others, each once."""
        return (self.prices, *(one for one in self.others if one != self.prices))

    def route_at(self, prices: CachePrices) -> Route:
        """The route as the catalogue would state it under these prices."""
        cache = Prices(input=1.0, output=OUTPUT_PRICE, cache_read=prices.read, cache_write=prices.write)
        return replace(self.route, prices=cache)


def plain_route(window: int) -> Route:
    """A model of no provider, counted like OpenAI's, whose window holds the answer too: the stricter reading."""
    return Route(
        name=NAME,
        sdk_model=f"openai/{NAME}",
        model=NAME,
        provider="openai",
        transport="relay",
        base_url=None,
        api_key=None,
        window=window,
        window_includes_output=True,
    )
