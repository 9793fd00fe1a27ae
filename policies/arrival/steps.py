"""Strip noise; point an exact repeat back at its first copy; keep what is large for its kind outside the context.

A pointer gives way to its text again in the batch that takes its target away (`seen.py`), so that what was read
lately never stands nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from policies import markers
from policies.arrival.noise import without_noise
from policies.arrival.spill import spilled
from policies.edits import Replace
from policies.scene import Scene, Text


def arrived(scene: Scene, index: int, tool: str) -> Iterator[Replace]:
    """The edits of tool message `index`, just taken in, one per text part at most."""
    rules = scene.terms.policy.on_arrival
    for part, tokens in enumerate(scene.conversation.messages[index].parts):
        if tokens < rules.spill.min_tokens:
            continue
        result = Text(index, part, tokens, scene.conversation.text(index, part))
        locator = scene.terms.locate("result", result.text.encode())
        if rules.repeats.enabled and scene.seen.again(scene.view, index, part, locator):
            pointer = markers.repeated(tokens, locator)
            yield Replace(index, part, pointer, locator, tokens, scene.terms.count(pointer), "repeat")
        else:
            yield from _reduced(scene, result, locator, tool)


def _reduced(scene: Scene, result: Text, locator: str, tool: str) -> Iterator[Replace]:
    """The text without noise, or its preview where it is large; the preview is made of what noise leaves."""
    rules, terms = scene.terms.policy.on_arrival, scene.terms
    clean = result.text
    if rules.noise.enabled:
        clean = without_noise(clean, rules.noise.timestamps, locator)
    if rules.spill.enabled and terms.way_back and (preview := spilled(clean, locator, tool, terms)) is not None:
        yield Replace(result.index, result.part, preview, locator, result.tokens, terms.count(preview), "spill")
    elif clean is not result.text and (after := terms.count(clean)) < result.tokens:
        yield Replace(result.index, result.part, clean, locator, result.tokens, after, "noise")
