"""Summaries as the fold sees them: a segment is fixed, somebody decides what becomes of it, and the fold goes on.

A summary's text cannot be computed again, so it is a recorded decision: handed in with the terms, and asked for by a
key that names the segment's meaning and everything before it. Where nothing is decided yet the fold stops, and says
what it needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from policies.edits import Edit

OUTPUT_PRICE = 5.0
"""One output token in units of an input token (five to eight with most providers; docs/decisions/0002)."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a segment: the text that stands for it, None where it was dropped."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Segment:
    """Turns that one summary is to stand for, fixed once so that everybody means the same.

    `turns` are positions, `messages` indices; `tokens` is what they weigh as they stand, `previous` the summary that
    this one goes on from ("" if none).
    """

    key: str
    turns: tuple[int, ...]
    messages: tuple[int, ...]
    tokens: int
    previous: str


class Undecided(Exception):
    """The fold cannot go on before it is decided what becomes of `segment`.

    `messages` were walked, and `changes` stand in them.
    """

    def __init__(self, segment: Segment, messages: int, changes: tuple[Edit, ...]) -> None:
        super().__init__(segment.key)
        self.segment = segment
        self.messages = messages
        self.changes = changes


class Summaries:
    """What was summarised so far, and the segment that comes next."""

    __slots__ = ("price", "segment", "text", "turns")

    def __init__(self) -> None:
        self.segment: Segment | None = None
        self.text = ""
        self.turns: frozenset[int] = frozenset()
        self.price = 0.0  # of all summaries so far, in units of one input token

    def copy(self) -> Self:
        """A memory that can grow apart from this one."""
        twin = object.__new__(type(self))
        twin.segment, twin.text, twin.turns, twin.price = self.segment, self.text, self.turns, self.price
        return twin

    def settle(self, segment: Segment, decision: Decision, tokens: int) -> None:
        """The segment leaves; a summary of it, `tokens` long, holds what the one before it held.

        What it cost is put as if the agent's own model had read the segment uncached: the dearest usual case.
        """
        self.segment = None
        if decision.text is not None:
            self.text = decision.text
            self.turns |= frozenset(segment.turns)
            self.price += segment.tokens + OUTPUT_PRICE * tokens

    def forget(self) -> None:
        """No summary stands any more: what it stood for counts as dropped."""
        self.text = ""
        self.turns = frozenset()
