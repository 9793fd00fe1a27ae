"""The view: how a history stands right now, in tokens. What was replaced, what is gone, what everything weighs.

It holds no text. Between batches it only grows at its end, so sums are kept as the messages come; a batch
changes the middle and pays for summing up anew.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from policies.conversation import Message
from policies.edits import By, Drop, Edit, Note, Replace, ReplaceArguments
from policies.turns import Turn, take

Change = Replace | ReplaceArguments
Place = tuple[int, bool, int]


def place(change: Change) -> Place:
    """Where a change stands: message, whether in its arguments, and part or call."""
    if isinstance(change, Replace):
        return (change.index, False, change.part)
    return (change.index, True, change.call)


class View:
    """The standing of each message and turn. `head` messages stand before the first assistant turn."""

    __slots__ = (
        "assistants", "body", "changes", "drop_locator", "gone", "head", "head_user", "instruction", "listed",
        "note", "noted_at", "notices", "received", "starts", "summarised", "system", "turns", "weights",
    )  # fmt: skip

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.weights: list[int] = []
        self.starts: list[int] = []  # tokens of the turns before each turn, system messages left out
        self.assistants: list[int] = []  # positions of assistant turns
        self.body = 0  # tokens of all turns, system messages left out
        self.head = 0
        self.head_user = 0
        self.system = 0
        self.received = 0
        self.changes: dict[Place, Change] = {}
        self.gone: frozenset[int] = frozenset()
        self.summarised: frozenset[int] = frozenset()  # those of the gone that a summary stands for
        self.drop_locator = ""
        self.note: Note | None = None
        self.notices: dict[int, Note] = {}  # by the tool message that they follow
        self.listed: tuple[Edit, ...] | None = None  # the edits, while no batch has changed them
        self.instruction: int | None = None  # the user's latest message after the head
        self.noted_at: int | None = None  # the pinned user message that a notice would follow

    def copy(self) -> Self:
        """A view that can grow apart from this one."""
        twin = object.__new__(type(self))
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value.copy() if isinstance(value, (list, dict)) else value)
        return twin

    def append(self, message: Message) -> None:
        """Take in the next message."""
        index = len(self.weights)
        self.weights.append(message.tokens)
        self.received += message.tokens
        if message.role == "system":
            self.system += message.tokens
        if not self.turns and message.role != "assistant":
            self._append_to_head(index, message)
            return
        if message.role == "user":
            self.instruction = index
        known = len(self.turns)
        take(self.turns, index, message)
        if len(self.turns) > known:
            self.starts.append(self.body)
            if message.role == "assistant":
                self.assistants.append(known)
        if message.role != "system":
            self.body += message.tokens

    def _append_to_head(self, index: int, message: Message) -> None:
        self.head = index + 1
        if message.role != "system":
            self.head_user += message.tokens
        if message.role == "user":
            self.noted_at = index

    @property
    def messages(self) -> int:
        """How many messages were taken in."""
        return len(self.weights)

    @property
    def total(self) -> int:
        """What all messages weigh as they would be forwarded now, notice included."""
        return self.system + self.head_user + self.note_tokens + self.body

    @property
    def note_tokens(self) -> int:
        """What the notice of dropped turns weighs."""
        return self.note.tokens if self.note else 0

    def keep_start(self, keep: int) -> int:
        """The position of the first of the latest `keep` assistant turns."""
        return self.assistants[-keep] if len(self.assistants) > keep else 0

    @property
    def spared(self) -> int | None:
        """The position of the turn that holds the user's latest message; None while that is in the head."""
        if self.instruction is None:
            return None
        return bisect_right(self.turns, self.instruction, key=lambda turn: turn.start) - 1

    def history(self, keep: int) -> int:
        """Tokens between the head and the latest `keep` turns, the user's latest words left out."""
        start = self.keep_start(keep)
        if not start:
            return 0
        spared = self.spared
        return self.starts[start] - (self.weight(spared) if spared is not None and spared < start else 0)

    def weight(self, position: int) -> int:
        """What a turn weighs now."""
        turn = self.turns[position]
        return sum(self.weights[turn.start : turn.end])

    def active(self, keep: int) -> int:
        """Tokens of pinned user text, the user's latest words, the notice, and the latest `keep` turns."""
        return self.head_user + self.note_tokens + self.body - self.history(keep)

    def offset(self, index: int) -> int:
        """What stands before message `index`."""
        return sum(self.weights[:index])

    def standing(self, where: Place, original: int) -> int:
        """What a part or an argument string weighs now."""
        change = self.changes.get(where)
        return original if change is None else change.after

    def apply(self, changes: Iterable[Change]) -> None:
        """Put replacements in place."""
        for change in changes:
            where = place(change)
            self.weights[change.index] += change.after - self.standing(where, change.before)
            self.changes[where] = change
        self._sum_up()

    def arrive(self, change: Change) -> None:
        """Put a replacement in place in the message taken in last, which nobody has seen yet."""
        gain = self.standing(place(change), change.before) - change.after
        self.weights[change.index] -= gain
        self.body -= gain
        self.changes[place(change)] = change
        self.listed = None

    def notice(self, note: Note) -> None:
        """Say something behind the message taken in last."""
        self.weights[note.index] += note.tokens
        self.body += note.tokens
        self.notices[note.index] = note
        self.listed = None

    def is_whole(self, index: int, part: int) -> bool:
        """Whether a part of a result stands as the client sent it."""
        return bool(self.weights[index]) and (index, False, part) not in self.changes

    def restore(self, places: Iterable[Place]) -> None:
        """Give parts back the text that the client sent."""
        for where in places:
            change = self.changes.pop(where)
            self.weights[change.index] += change.before - change.after
        self._sum_up()

    def drop(
        self,
        positions: Iterable[int],
        messages: Sequence[Message],
        locator: str,
        note: Note,
        summarised: frozenset[int] = frozenset(),
    ) -> None:
        """Let turns leave, their system messages apart; `note` and `locator` stand for all that are gone."""
        self.gone |= frozenset(positions)
        self.summarised = summarised
        self.drop_locator = locator
        self.note = note
        for index in self.gone_messages(messages):
            self.weights[index] = 0
        leaving = set(self.gone_messages(messages))
        self.changes = {where: change for where, change in self.changes.items() if change.index not in leaving}
        self.notices = {index: note for index, note in self.notices.items() if index not in leaving}
        self._sum_up()

    def gone_messages(self, messages: Sequence[Message], positions: Iterable[int] | None = None) -> Iterator[int]:
        """The messages of the turns that are gone (or of `positions`), in order."""
        for position in sorted(self.gone if positions is None else positions):
            turn = self.turns[position]
            yield from (i for i in range(turn.start, turn.end) if messages[i].role != "system")

    def _sum_up(self) -> None:
        self.listed = None
        self.body = 0
        for position, turn in enumerate(self.turns):
            self.starts[position] = self.body
            if turn.role != "system":
                self.body += self.weight(position)

    def edits(self, messages: Sequence[Message]) -> tuple[Edit, ...]:
        """Everything that differs from what the client sent, in order of place. Made once per batch."""
        if self.listed is None:
            self.listed = self._list_edits(messages)
        return self.listed

    def _list_edits(self, messages: Sequence[Message]) -> tuple[Edit, ...]:
        edits: list[Edit] = [self.changes[where] for where in sorted(self.changes)]
        edits += [self.notices[index] for index in sorted(self.notices)]
        dropped = list(self.gone_messages(messages, self.gone - self.summarised))
        summarised = list(self.gone_messages(messages, self.summarised))
        drops = [*self._drops(messages, dropped, "drop"), *self._drops(messages, summarised, "summary")]
        drops.sort(key=lambda drop: drop.start)
        edits += drops
        if self.note:
            edits.append(self.note)
        return tuple(edits)

    def _drops(self, messages: Sequence[Message], gone: Sequence[int], by: By) -> Iterator[Drop]:
        """Messages that are gone, those in a row together."""
        start = 0
        for position in range(1, len(gone) + 1):
            if position == len(gone) or gone[position] != gone[position - 1] + 1:
                run = gone[start:position]
                yield Drop(run[0], run[-1] + 1, self.drop_locator, sum(messages[i].tokens for i in run), by)
                start = position
