"""What may happen to a tool result when it is first seen, and never later: it was not forwarded yet, so it costs no
cache.

Noise is stripped, an exact repeat points back at its first copy, and what is over the threshold of its kind is
spilled: a preview with a locator stands in its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from policies.arrival.noise import without_noise
from policies.arrival.repeats import Seen
from policies.arrival.spill import spilled
from policies.conversation import Conversation
from policies.edits import Replace
from policies.terms import Terms
from policies.view import View


def arrived(view: View, seen: Seen, index: int, tool: str, conversation: Conversation, terms: Terms) -> Iterator[Replace]:
    """The edits of tool message `index`, just taken in, one per text part at most."""
    rules = terms.policy.on_arrival
    for part, tokens in enumerate(conversation.messages[index].parts):
        if tokens < rules.spill.min_tokens:
            continue
        text = conversation.text(index, part)
        locator = terms.locate("result", text.encode())
        if rules.repeats.enabled:
            repeat = seen.repeat(view, index, part, tokens, locator, terms)
            if repeat is not None:
                yield repeat
                continue
        yield from _reduced(index, part, tokens, text, locator, tool, terms)


def _reduced(
    index: int, part: int, tokens: int, text: str, locator: str, tool: str, terms: Terms
) -> Iterator[Replace]:
    """The text without noise, or its preview where it is large; the preview is made of what noise leaves."""
    rules = terms.policy.on_arrival
    clean = without_noise(text, rules.noise.timestamps, locator) if rules.noise.enabled else text
    preview = spilled(clean, locator, tool, terms) if rules.spill.enabled and terms.way_back else None
    if preview is not None:
        yield Replace(index, part, preview, locator, tokens, terms.count(preview), "spill")
    elif clean is not text:
        after = terms.count(clean)
        if after < tokens:
            yield Replace(index, part, clean, locator, tokens, after, "noise")
