"""Folds kept in memory: where a history was walked before, the next request goes on from there.

Keyed by the terms of the fold and the digest of the messages walked, so a hit is always right and a miss only
slower. Bounded by the number of messages that the kept folds span; the least recently used go first. Kept folds
are never changed, only copied.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from threading import Lock

from policies.conversation import Conversation
from policies.fold import Fold
from policies.terms import Terms

Key = tuple[Hashable, bytes]


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk to one place: before its checkpoint, and with it held. `parent` is where it went on from."""

    walked: Fold
    checked: Fold
    parent: Key | None


class Folds:
    """Folds by terms and prefix. Safe to use from several threads."""

    def __init__(self, capacity_messages: int = 500_000) -> None:
        self._capacity = capacity_messages
        self._held = 0
        self._kept: OrderedDict[Key, Walk] = OrderedDict()
        self._lock = Lock()

    def walk(self, conversation: Conversation, chain: Sequence[bytes], terms: Terms, key: Hashable) -> Walk:
        """The walk to the end of the conversation.

        `chain[n]` is the digest of the first n + 1 messages; `key` stands for everything in `terms`.
        """
        length = len(conversation.messages)
        parent, kept = self._longest(chain, key)
        if kept is not None and kept.walked.view.messages == length:
            return kept
        walked = self._start(kept, conversation)
        walked.take(conversation, terms)
        checked = walked.copy()
        if conversation.messages[-1].role != "assistant":
            checked.checkpoint(conversation, terms)
        walk = Walk(walked, checked, parent)
        self._keep((key, chain[-1]), walk)
        return walk

    @staticmethod
    def _start(kept: Walk | None, conversation: Conversation) -> Fold:
        """Where to walk on: an assistant turn next means that the checkpoint there was a request's."""
        if kept is None:
            return Fold()
        following = conversation.messages[kept.walked.view.messages]
        return (kept.checked if following.role == "assistant" else kept.walked).copy()

    def _longest(self, chain: Sequence[bytes], key: Hashable) -> tuple[Key | None, Walk | None]:
        with self._lock:
            for digest in reversed(chain):
                kept = self._kept.get((key, digest))
                if kept is not None:
                    self._kept.move_to_end((key, digest))
                    return (key, digest), kept
        return None, None

    def _keep(self, place: Key, kept: Walk) -> None:
        """Keep a fold, and its parent for a retry; what lies further back is let go."""
        with self._lock:
            self._remove(place)
            self._kept[place] = kept
            self._held += 2 * kept.walked.view.messages
            parent = self._kept.get(kept.parent) if kept.parent else None
            if parent is not None and parent.parent is not None:
                self._remove(parent.parent)
            while self._held > self._capacity and len(self._kept) > 1:
                self._remove(next(iter(self._kept)))

    def _remove(self, place: Key) -> None:
        gone = self._kept.pop(place, None)
        if gone is not None:
            self._held -= 2 * gone.walked.view.messages
