"""The segment as text, for whoever summarises it: who said what, calls and results, in order and in bounds.

Results and arguments stand as they stood in the context, so a marker may already be in their place. What is no text
(images, audio) becomes a short mark. Where all of it is too much, the longest texts lose their middles first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from policies.conversation import Conversation
from policies.edits import Edit, Replace, ReplaceArguments

LEFT_OUT = "[... the middle of this is left out ...]"
_SHORTEST = 40
"""No text is shortened below this many tokens."""


def transcript(
    conversation: Conversation, edits: Sequence[Edit], indices: Sequence[int], most: int, count: Callable[[str], int]
) -> str:
    """Messages `indices` in about `most` tokens: the texts as `edits` leave them."""
    said = list(_said(conversation, edits, indices))
    sizes = [count(text) for _, text in said]
    cap = _cap(sizes, most - sum(count(head) + 2 for head, _ in said))
    return "\n\n".join(f"{head}\n{_within(text, size, cap)}" for (head, text), size in zip(said, sizes, strict=True))


def _said(conversation: Conversation, edits: Sequence[Edit], indices: Sequence[int]) -> Iterator[tuple[str, str]]:
    parts = {(edit.index, edit.part): edit.text for edit in edits if isinstance(edit, Replace)}
    arguments = {(edit.index, edit.call): edit.text for edit in edits if isinstance(edit, ReplaceArguments)}
    names: dict[str, str] = {}
    for index in indices:
        message = conversation.messages[index]
        who = f"{message.role} ({names[message.result_of]})" if message.result_of in names else message.role
        for part, tokens in enumerate(message.parts):
            standing = parts.get((index, part))
            text = standing if standing is not None else conversation.text(index, part) if tokens else "[no text]"
            yield f"{who}:", text
        for position, call in enumerate(message.calls):
            names[call.id] = call.name
            standing = arguments.get((index, position))
            yield f"{who} calls {call.name}:", standing or conversation.arguments(index, position)


def _cap(sizes: Sequence[int], most: int) -> int:
    """The size down to which the longest must come for all to fit."""
    left, largest = most, max(sizes, default=0)
    for position, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - position)
        if size > share:
            return max(_SHORTEST, share)
        left -= size
    return largest


def _within(text: str, size: int, cap: int) -> str:
    """The text, or its two ends with a mark between, in proportion to its tokens."""
    if size <= cap:
        return text
    end = len(text) * cap // (2 * size)
    return f"{text[:end]}\n{LEFT_OUT}\n{text[len(text) - end :]}"
