"""Candidates: what the next batch would clear, gathered as turns leave the keep window.

Each turn is looked at once. The edits are made ready then, while its text is at hand, so that the cost rule
knows at every checkpoint what clearing would gain, and a batch only puts them in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

from policies.conversation import Conversation
from policies.history.clear_arguments import clear_arguments
from policies.history.clear_results import clear_results
from policies.scene import Scene
from policies.turns import Turn
from policies.view import Change, Place, View, place


class Candidates:
    """Edits in waiting. `gain` is what they would take out, `offset` what stands before the first of them."""

    __slots__ = ("gain", "looked", "offset", "waiting")

    def __init__(self) -> None:
        self.waiting: dict[Place, Change] = {}
        self.looked = 0
        self.gain = 0
        self.offset = 0

    def copy(self) -> Self:
        """Candidates that can grow apart from these."""
        twin = object.__new__(type(self))
        twin.waiting = self.waiting.copy()
        twin.looked, twin.gain, twin.offset = self.looked, self.gain, self.offset
        return twin

    def look(self, scene: Scene, boundary: int) -> None:
        """Look at the turns before `boundary` that were not looked at yet."""
        for turn in scene.view.turns[self.looked : boundary]:
            for change in () if turn.pending else _changes(scene, turn):
                self.add(scene.view, change)
        self.looked = max(self.looked, boundary)

    def look_at_stale(self, scene: Scene, reads: Iterable[tuple[int, str]]) -> None:
        """Look at the results of reads that were overtaken, wherever they stand, but for those pointed back at."""
        pointed_at = {change.locator for change in scene.view.changes.values() if change.by == "repeat"}
        targets = {scene.seen.first[locator][0] for locator in pointed_at}
        for index, call_id in reads:
            answer = _answer_to(scene.conversation, index, call_id, scene.view.messages)
            if answer is not None and scene.view.weights[answer] and answer not in targets:
                for change in clear_results(scene, answer, "stale_read"):
                    self.add(scene.view, change)

    def add(self, view: View, change: Change) -> None:
        """Let a change wait, if it would gain anything over what stands there."""
        gain = view.standing(place(change), change.before) - change.after
        if gain <= 0 or place(change) in self.waiting:
            return
        offset = view.offset(change.index)
        self.offset = min(self.offset, offset) if self.waiting else offset
        self.waiting[place(change)] = change
        self.gain += gain

    def taken(self) -> list[Change]:
        """Hand over all that waits, and start anew."""
        changes = list(self.waiting.values())
        self.waiting, self.gain, self.offset = {}, 0, 0
        return changes


def _changes(scene: Scene, turn: Turn) -> Iterator[Change]:
    """What clearing would change in one turn."""
    history, messages = scene.terms.policy.history, scene.conversation.messages
    spared = _calls_of(turn, scene.conversation, history.clear_results.exclude_tools)
    for index in range(turn.start, turn.end):
        message = messages[index]
        if message.role == "tool" and history.clear_results.enabled and message.result_of not in spared:
            yield from clear_results(scene, index)
        if message.role == "assistant" and history.clear_arguments.enabled:
            yield from clear_arguments(scene, index)


def _calls_of(turn: Turn, conversation: Conversation, tools: tuple[str, ...]) -> frozenset[str]:
    """The ids of the turn's calls to `tools`; a late result's call stands further up."""
    messages = conversation.messages[0 if turn.role == "tool" else turn.start : turn.end]
    return frozenset(call.id for message in messages for call in message.calls if call.name in tools)


def _answer_to(conversation: Conversation, index: int, call_id: str, end: int) -> int | None:
    """The tool message before `end` that answers a call of assistant message `index`; None while there is none."""
    for later in range(index + 1, end):
        message = conversation.messages[later]
        if message.role == "assistant":
            return None
        if message.role == "tool" and message.result_of == call_id:
            return later
    return None
