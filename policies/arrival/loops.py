"""Repeats of action: the same calls with the same arguments and the same results, turn after turn.

An agent that goes round in a circle does not see it. It is counted always, and said in the newest result if the policy
asks for that.
"""

from __future__ import annotations

import hashlib
from typing import Self

from policies import markers
from policies.conversation import Conversation
from policies.edits import Note
from policies.terms import Terms
from policies.turns import Turn

_DIGEST_BYTES = 16


class Loops:
    """What the latest turn did, and for how many turns in a row."""

    __slots__ = ("latest", "times")

    def __init__(self) -> None:
        self.latest = b""
        self.times = 0

    def copy(self) -> Self:
        """A memory that can grow apart from this one."""
        twin = object.__new__(type(self))
        twin.latest, twin.times = self.latest, self.times
        return twin

    @property
    def repeats(self) -> int:
        """How often in a row the latest turn repeated the one before it."""
        return max(0, self.times - 1)

    def take(self, conversation: Conversation, turn: Turn, index: int, terms: Terms) -> Note | None:
        """Take in message `index`, the newest of `turn`; what is to be said behind it, if anything."""
        message = conversation.messages[index]
        if message.role == "system" or turn.pending:
            return None
        if turn.role != "assistant" or message.role != "tool":
            self.latest, self.times = b"", 0
            return None
        done = _done(conversation, turn)
        self.times = self.times + 1 if done == self.latest else 1
        self.latest = done
        after = terms.policy.on_arrival.repeats.loop_notice_after
        if not after or self.times < after or not any(message.parts):
            return None
        text = markers.in_a_row(self.times)
        return Note(index, text, terms.count(text))


def _done(conversation: Conversation, turn: Turn) -> bytes:
    """A digest of the calls of a turn and what came of them; ids are not part of it."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for index in range(turn.start, turn.end):
        message = conversation.messages[index]
        for position, call in enumerate(message.calls):
            digest.update(f"\0call\0{call.name}\0{conversation.arguments(index, position)}".encode(errors="replace"))
        if message.role == "tool":
            for part, tokens in enumerate(message.parts):
                text = conversation.text(index, part) if tokens else ""
                digest.update(f"\0result\0{text}".encode(errors="replace"))
    return digest.digest()
