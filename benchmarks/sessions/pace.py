"""How much an agent reads and writes at once, so that a session grows as real ones do.

That is about 520 tokens a turn, of them a third arguments. Length is held to; the share of arguments is steered, and
falls short where a history's changes are small. How long the median result is follows from the history alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.sessions.transcript import Transcript

GROWTH = 520
ARGUMENTS = 0.33
TURNS = 445
MOST_TURNS = 490
MOST_TOKENS = 252_000
_SLACK = 2_000


@dataclass(frozen=True, slots=True)
class Pace:
    """What the session's length allows: an agent that has read much lately reads narrowly now."""

    transcript: Transcript

    @property
    def ahead(self) -> bool:
        """Whether the session is longer than its turns explain."""
        return self.transcript.tokens > GROWTH * self.transcript.turns + _SLACK

    @property
    def over(self) -> bool:
        """Whether nothing more may begin."""
        return self.transcript.turns >= MOST_TURNS or self.transcript.tokens >= MOST_TOKENS

    def lines(self) -> int:
        """How many lines to read around a place."""
        return 24 if self.ahead else 110

    def longest_file(self) -> int:
        """The longest file to write whole, in lines."""
        return 90 if self.transcript.argument_tokens > ARGUMENTS * self.transcript.tokens else 240

    def cases(self) -> int:
        """How many tests to see by name."""
        return 12 if self.ahead else 70
