"""Spilling: a large result stays outside the context; a preview and a locator stand in its place.

Logs, tables and listings spill early. A source file that the model has just asked for is used within the next turns:
it spills late, and a batch clears it soon enough (`economics.md`: spilling file reads early saved 2 points of cost
and lost 8 to 48 points of evidence).
"""

from __future__ import annotations

from policies.reducers import recognise
from policies.reducers.preview import preview, readable
from policies.terms import Terms

SOURCE_SHARE = 0.15
"""A source file over this part of the window spills, whatever its own threshold says."""


def spilled(text: str, locator: str, tool: str, terms: Terms) -> str | None:
    """The preview, or None where the text stays: small for its kind, spared, or not to be said in less."""
    rules = terms.policy.on_arrival.spill
    tokens = terms.count(text)
    if tokens <= rules.threshold_tokens or tool in rules.exclude_tools or tool in terms.own_tools:
        return None
    if recognise(readable(text)).kind == "source":
        limit = min(rules.source_threshold_tokens, int(SOURCE_SHARE * terms.budget.window))
        if tokens <= limit:
            return None
    made = preview(text, rules.preview_tokens, locator, terms.count, terms.outline)
    return made.text if made is not None else None
