"""What the fold is told beside the conversation: policy, budget, prices, and the two functions it may call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from policies.budget import Budget
from policies.reducers import Outline
from policies.reducers.reducer import no_outline
from policies.schema import Policy
from policies.summaries import Decision


def nothing_decided(_key: str) -> Decision | None:
    """Where nobody summarises."""
    return None


@dataclass(frozen=True, slots=True)
class CachePrices:
    """Prices of the provider's prompt cache in units of its ordinary input price."""

    write: float = 1.0
    read: float = 0.1


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one fold. Same terms and same conversation: same plan.

    `count(text)` is the tokens of a text. `locate(kind, data)` is the locator of an original: a keyed digest, the
    same on every replica. `fixed_tokens` is what tool and response schemas weigh. `outline(text, language)` lists
    the definitions of a source text as (line, name). `way_back` says whether the model can read back in this very
    request what is spilled; `own_tools` are the tools by which it does, whose results are never spilled.
    `decided(key)` is what was recorded of a segment's fate.
    """

    policy: Policy
    budget: Budget
    prices: CachePrices
    fixed_tokens: int
    count: Callable[[str], int]
    locate: Callable[[str, bytes], str]
    outline: Outline = no_outline
    way_back: bool = False
    own_tools: frozenset[str] = frozenset()
    decided: Callable[[str], Decision | None] = nothing_decided
