"""Clearing: an old tool result gives way to a stub.

A result under `MIN_TOKENS`, or whose stub would be over `MAX_SHARE` of it, stays: the gain would not pay for
the model's loss.
"""

from __future__ import annotations

from collections.abc import Iterator

from policies import markers
from policies.edits import By, Replace
from policies.history.stubs import with_details
from policies.scene import Scene, Text

MIN_TOKENS = 80
MAX_SHARE = 0.7


def clear_results(scene: Scene, index: int, by: By = "clear_result") -> Iterator[Replace]:
    """The edits that would clear tool message `index`, one per text part worth clearing as it stands now."""
    terms = scene.terms
    for part, tokens in enumerate(scene.conversation.messages[index].parts):
        standing = scene.view.changes.get((index, False, part))
        now = tokens if standing is None else standing.after
        if now < MIN_TOKENS:
            continue
        text = scene.conversation.text(index, part)
        locator = terms.locate("result", text.encode())
        marker = markers.cleared(tokens, text.count("\n") + 1, locator)
        stub = with_details(scene, marker, Text(index, part, now, text if standing is None else standing.text))
        after = terms.count(stub)
        if after <= MAX_SHARE * now:
            yield Replace(index, part, stub, locator, tokens, after, by)
