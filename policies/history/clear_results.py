"""Clearing: an old tool result gives way to a stub.

A result under `MIN_TOKENS`, or whose stub would be over `MAX_SHARE` of it, stays: the gain would not pay for
the model's loss.
"""

from __future__ import annotations

from collections.abc import Iterator

from policies import markers
from policies.conversation import Conversation
from policies.edits import By, Replace
from policies.history.stubs import with_details
from policies.history.told import Told
from policies.terms import Terms
from policies.view import View

MIN_TOKENS = 80
MAX_SHARE = 0.7


def clear_results(
    view: View, conversation: Conversation, index: int, told: Told, terms: Terms, by: By = "clear_result"
) -> Iterator[Replace]:
    """The edits that would clear tool message `index`, one per text part worth clearing as it stands now."""
    for part, tokens in enumerate(conversation.messages[index].parts):
        standing = view.changes.get((index, False, part))
        now = tokens if standing is None else standing.after
        if now < MIN_TOKENS:
            continue
        text = conversation.text(index, part)
        locator = terms.locate("result", text.encode())
        marker = markers.cleared(tokens, text.count("\n") + 1, locator)
        stub = with_details(marker, index, text if standing is None else standing.text, now, told, terms)
        after = terms.count(stub)
        if after <= MAX_SHARE * now:
            yield Replace(index, part, stub, locator, tokens, after, by)
