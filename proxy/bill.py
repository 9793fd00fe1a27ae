"""What a request cost, and what it would have cost untouched with the same provider cache.

The provider says what it billed. For the untouched history the same is assumed: the same share of the
prefix comes from the cache as did of ours, and the provider's count differs from our estimate by the same factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policies.terms import CachePrices
from proxy.upstream import Prices, Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Bill:
    """Dollars, at list prices."""

    billed: float
    untouched: float


@dataclass(frozen=True, slots=True)
class Sizes:
    """Input tokens by our estimate: this request and the one before, as they came and as they went."""

    received: int
    forwarded: int
    received_before: int
    forwarded_before: int


def bill(rounds: Sequence[Usage], sizes: Sizes, prices: Prices) -> Bill | None:
    """None where no price is known. `rounds` are the calls of one request, at least one.

    The first is the request as it went; what followed are readings, which the untouched request would not have made.
    """
    if prices.input is None:
        return None
    own = sum(_call(usage, prices) for usage in rounds)
    first, last = rounds[0], rounds[-1]
    if sizes.received == sizes.forwarded or not sizes.forwarded:
        other = _input(first.input_tokens, first.cache_read_tokens, first.cache_write_tokens, prices)
    else:
        other = _untouched(first, sizes, prices)
    return Bill(own / MILLION, (other + _output(last, prices)) / MILLION)


def _call(usage: Usage, prices: Prices) -> float:
    read = _input(usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, prices)
    return read + _output(usage, prices)


def _output(usage: Usage, prices: Prices) -> float:
    return usage.output_tokens * (prices.output or 0)


def _untouched(first: Usage, sizes: Sizes, prices: Prices) -> float:
    """The input price of the request as it came."""
    factor = first.input_tokens / sizes.forwarded
    cached = first.cache_read_tokens
    hit = min(1.0, cached / (sizes.forwarded_before * factor)) if sizes.forwarded_before and factor else 0.0
    untouched = sizes.received * factor
    untouched_cached = min(untouched, hit * sizes.received_before * factor)
    untouched_written = untouched - untouched_cached if first.cache_write_tokens else 0
    return _input(untouched, untouched_cached, untouched_written, prices)


def cache_prices(prices: Prices) -> CachePrices:
    """Cache prices in units of the input price: missing or zero write is 1, missing read 0.1."""
    if not prices.input:
        return CachePrices()
    write = prices.cache_write / prices.input if prices.cache_write else 1.0
    read = prices.cache_read / prices.input if prices.cache_read is not None else 0.1
    return CachePrices(write, read)


def _input(tokens: float, cached: float, written: float, prices: Prices) -> float:
    """Millionths of a dollar for an input of which part was read from the cache and part written to it."""
    plain = prices.input or 0
    read = plain if prices.cache_read is None else prices.cache_read
    write = prices.cache_write or plain
    return (tokens - cached - written) * plain + cached * read + written * write
