"""Turns: the smallest groups of messages that may leave a conversation together.

A turn is one user message, one later system message (pinned), or one assistant message with all its tool
results. A result that arrives after other messages (a person spoke while the call was pending) draws
everything since its call into one turn, so that a call and its result never part.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from policies.conversation import Message, Role


@dataclass(frozen=True, slots=True)
class Turn:
    """Messages `start` up to, not including, `end`. `pending` are calls without a result yet."""

    start: int
    end: int
    role: Role
    pending: tuple[str, ...] = ()

    @property
    def pinned(self) -> bool:
        """Whether it may not leave: a later system message, or a call still waiting for its result."""
        return self.role == "system" or bool(self.pending)


def take(turns: list[Turn], index: int, message: Message) -> int:
    """Add message `index` to `turns` in place; how many turns at the end are now new or changed."""
    if message.role == "tool":
        return _take_result(turns, index, message.result_of or "")
    pending = tuple(call.id for call in message.calls)
    turns.append(Turn(index, index + 1, message.role, pending))
    return 1


def _take_result(turns: list[Turn], index: int, call_id: str) -> int:
    """A result joins the latest turn that waits for it; an orphan joins the latest turn."""
    home = next((t for t in range(len(turns) - 1, -1, -1) if call_id in turns[t].pending), len(turns) - 1)
    span = turns[home:]
    pending = Counter(call for turn in span for call in turn.pending)
    pending[call_id] -= 1
    turns[home:] = [replace(span[0], end=index + 1, pending=tuple((+pending).elements()))]
    return 1
