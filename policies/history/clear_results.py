"""Clearing: an old tool result gives way to a stub.

A result under `MIN_TOKENS`, or whose stub would be over `MAX_SHARE` of it, stays: the gain would not pay for
the model's loss.
"""

from __future__ import annotations

from collections.abc import Iterator

from policies import markers
from policies.conversation import Conversation
from policies.edits import Replace
from policies.terms import Terms

MIN_TOKENS = 80
MAX_SHARE = 0.7


def clear_results(conversation: Conversation, index: int, terms: Terms) -> Iterator[Replace]:
    """The edits that would clear tool message `index`, one per text part worth clearing."""
    for part, tokens in enumerate(conversation.messages[index].parts):
        if tokens < MIN_TOKENS:
            continue
        text = conversation.text(index, part)
        locator = terms.locate("result", text.encode())
        stub = markers.cleared(tokens, text.count("\n") + 1, locator)
        after = terms.count(stub)
        if after <= MAX_SHARE * tokens:
            yield Replace(index, part, stub, locator, tokens, after, "clear_result")
