"""What a played session amounts to: one row per request, and the sums with and without the proxy.

"Without" is not guessed from the proxy's own counts: the untouched bodies go through a prompt cache of the same
kind as the upstream's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from proxy.demo.client import Exchange
from proxy.demo.prompt_cache import Prompt, PromptCache, PromptCounter
from proxy.demo.upstream import Seen

INPUT, CACHE_READ, OUTPUT = 1.25, 0.125, 10.0  # dollars per million tokens, as for gpt-5


@dataclass(frozen=True, slots=True)
class Row:
    """One request as client, proxy and upstream saw it; tokens, or counts."""

    received: int
    forwarded: int
    cached: int
    output: int
    untouched_cached: int
    compacted_turns: int
    dropped: int
    cleared: int
    spilled: int
    reduced: int
    added: int
    batches: int
    identical: bool
    quotes: int
    quotes_held: int
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """Tokens of a whole session on one side of the comparison."""

    processed: int
    cached: int
    output: int
    largest: int

    @property
    def dollars(self) -> float:
        """What a provider would bill, its cache counted."""
        fresh = self.processed - self.cached
        return (fresh * INPUT + self.cached * CACHE_READ + self.output * OUTPUT) / 1_000_000


def row(exchange: Exchange, seen: Seen | None, untouched: Prompt, quotes: int) -> Row:
    """Put the three views of one request together; a request that never reached the upstream is a fault."""
    own = seen.faults if seen else ("it never reached the upstream",)
    faults = tuple(filter(None, (exchange.fault, *own, _imbalance(exchange))))
    return Row(
        received=untouched.tokens,
        forwarded=seen.prompt.tokens if seen else 0,
        cached=seen.prompt.cached if seen else 0,
        output=seen.output_tokens if seen else 0,
        untouched_cached=untouched.cached,
        compacted_turns=_said(exchange, "compacted-turns"),
        dropped=_said(exchange, "dropped-tokens"),
        cleared=_said(exchange, "cleared-tokens"),
        spilled=_said(exchange, "spilled-tokens"),
        reduced=_said(exchange, "reduced-tokens"),
        added=_said(exchange, "added-tokens"),
        batches=_said(exchange, "batches"),
        identical=bool(seen and seen.identical),
        quotes=quotes,
        quotes_held=len(seen.quotes_held) if seen else 0,
        faults=faults,
    )


@dataclass(frozen=True, slots=True)
class Run:
    """A session that was played with one model, and what was seen of each request."""

    session: str
    model: str
    window: int
    policy: str
    rows: tuple[Row, ...]

    @property
    def valid(self) -> bool:
        """Every request answered with 200, its structure sound, its answer the script's."""
        return bool(self.rows) and not any(row.faults for row in self.rows)

    def untouched(self) -> Sum:
        """As if the client had called the provider itself."""
        return _sum((row.received, row.untouched_cached, row.output) for row in self.rows)

    def proxied(self) -> Sum:
        """As the upstream saw it."""
        return _sum((row.forwarded, row.cached, row.output) for row in self.rows)


def untouched_prompts(exchanges: Iterable[Exchange], counter: PromptCounter) -> list[Prompt]:
    """The prompts of the bodies as they were sent, each looked up in a cache of their own."""
    cache = PromptCache()
    return [cache.serve("untouched", counter.segments(exchange.body)) for exchange in exchanges]


def _imbalance(exchange: Exchange) -> str | None:
    """What the proxy's own counts fail to explain: received + added - taken out must be forwarded."""
    taken = sum(_said(exchange, f"{by}-tokens") for by in ("dropped", "cleared", "spilled", "reduced"))
    received, added = _said(exchange, "received-tokens"), _said(exchange, "added-tokens")
    forwarded = _said(exchange, "forwarded-tokens")
    if received + added - taken == forwarded:
        return None
    return f"the headers do not add up: {received} + {added} - {taken} is not {forwarded}"


def _sum(rows: Iterable[tuple[int, int, int]]) -> Sum:
    inputs, cached, outputs = zip(*rows, strict=True)
    return Sum(sum(inputs), sum(cached), sum(outputs), max(inputs))


def _said(exchange: Exchange, name: str) -> int:
    """The integer that a header of the proxy carries, 0 where it is absent."""
    return int(exchange.context.get(f"x-context-{name}", "0"))
