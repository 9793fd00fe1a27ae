"""A prompt as a provider's cache sees it: the fixed part first, then message by message.

The simulated cache holds the previous request and nothing else, without a smallest size and without steps: what
both prompts start with is read, everything behind is written. A message whose end changed counts as new from its
start, and other tool definitions make everything new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policies.terms import CachePrices
from proxy.replay.recall import shared_start

OUTPUT_PRICE = 5.0
"""One output token in units of an input token at the ordinary price."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """`fixed` stands for the bytes of tool and response definitions; `digests` for those of each message."""

    fixed: bytes
    fixed_tokens: int
    digests: Sequence[bytes]
    tokens: Sequence[int]

    @property
    def total(self) -> int:
        """All of it, in tokens."""
        return self.fixed_tokens + sum(self.tokens)


@dataclass(frozen=True, slots=True)
class Sent:
    """What one request weighs, how much of it the cache held, and whether it broke the prefix before it."""

    tokens: int
    cached: int = 0
    broke: bool = False

    def without(self, tokens: int) -> Sent:
        """The same had the fixed part been smaller by `tokens`."""
        return Sent(self.tokens - tokens, max(0, self.cached - tokens), self.broke)


def sent(prompt: Prompt, before: Prompt | None) -> Sent:
    """A prompt that follows `before`, the last one that was sent; None for the first."""
    if before is None:
        return Sent(prompt.total)
    if prompt.fixed != before.fixed:
        return Sent(prompt.total, broke=True)
    shared = shared_start(before.digests, prompt.digests)
    cached = prompt.fixed_tokens + sum(prompt.tokens[:shared])
    return Sent(prompt.total, cached, shared < len(before.digests))


def bill(of: Sent, output: int, prices: CachePrices) -> float:
    """What a request and its answer cost, in units of one input token."""
    return prices.read * of.cached + prices.write * (of.tokens - of.cached) + OUTPUT_PRICE * output
