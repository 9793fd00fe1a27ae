"""Turns: the smallest groups of messages that may leave a conversation together.

A turn is one user message, one later system message (pinned), or one assistant message with all its tool
results. Where something else was said while a call was pending (a person spoke, a task ran in the background), the
call's turn and the late result are held: neither ever leaves, for a call and its result may not part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from policies.conversation import Message, Role


@dataclass(frozen=True, slots=True)
class Turn:
    """Messages `start` up to, not including, `end`. `pending` are calls without a result yet."""

    start: int
    end: int
    role: Role
    pending: tuple[str, ...] = ()
    held: bool = False

    @property
    def pinned(self) -> bool:
        """Whether it may not leave: later system text, a call that waits for its result, either half of a late one."""
        return self.held or self.role == "system" or bool(self.pending)


def take(turns: list[Turn], index: int, message: Message) -> None:
    """Add message `index` to `turns` in place: to the last of them, or as a new one behind it."""
    if message.role == "tool":
        _take_result(turns, index, message.result_of or "")
    else:
        turns.append(Turn(index, index + 1, message.role, tuple(call.id for call in message.calls)))


def _take_result(turns: list[Turn], index: int, call_id: str) -> None:
    """A result belongs to the latest turn that waits for it; an orphan joins the latest turn."""
    latest = len(turns) - 1
    home = next((t for t in range(latest, -1, -1) if call_id in turns[t].pending), latest)
    pending = _without(turns[home].pending, call_id)
    if home == latest:
        turns[home] = replace(turns[home], end=index + 1, pending=pending)
        return
    turns[home] = replace(turns[home], pending=pending, held=True)
    turns.append(Turn(index, index + 1, "tool", held=True))


def _without(pending: Iterable[str], call_id: str) -> tuple[str, ...]:
    """The calls that still wait once one of that id has its result."""
    waiting = Counter(pending)
    waiting[call_id] -= 1
    return tuple((+waiting).elements())
