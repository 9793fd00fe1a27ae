"""Which names still stand in the context, so that a stub lists only those that would vanish with its text.

Two kinds of text: what stays until it is dropped (people's and the model's words, short arguments, stubs), and
what a later batch will clear (results, long arguments), which will then list its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from policies.conversation import Conversation
from policies.names import names
from policies.view import View


class Told:
    """Names in standing text, and by message in text that is still whole."""

    __slots__ = ("standing", "whole")

    def __init__(self) -> None:
        self.standing: set[str] = set()
        self.whole: dict[int, frozenset[str]] = {}

    def copy(self) -> Self:
        """A memory that can grow apart from this one."""
        twin = object.__new__(type(self))
        twin.standing, twin.whole = self.standing.copy(), self.whole.copy()
        return twin

    def hear(self, view: View, conversation: Conversation, index: int, long_arguments: int) -> None:
        """Take in message `index`, as it stands in the view."""
        message = conversation.messages[index]
        texts = [_standing(view, conversation, index, part) for part, tokens in enumerate(message.parts) if tokens]
        if message.role == "tool":
            self.whole[index] = frozenset(name for text in texts for name in names(text))
            return
        long: list[str] = []
        for position, call in enumerate(message.calls):
            (long if call.tokens > long_arguments else texts).append(conversation.arguments(index, position))
        for text in texts:
            self.standing.update(names(text))
        if long:
            self.whole[index] = frozenset(name for text in long for name in names(text))

    def vanishing(self, index: int, text: str) -> list[str]:
        """The names of a text in message `index` that stand nowhere else, in order of appearance."""
        elsewhere = [known for other, known in self.whole.items() if other != index]
        return [
            name for name in names(text) if name not in self.standing and not any(name in known for known in elsewhere)
        ]

    def cleared(self, index: int, listed: Iterable[str]) -> None:
        """The message's text goes; its stub lists these names."""
        self.whole.pop(index, None)
        self.standing.update(listed)


def _standing(view: View, conversation: Conversation, index: int, part: int) -> str:
    change = view.changes.get((index, False, part))
    return conversation.text(index, part) if change is None else change.text
