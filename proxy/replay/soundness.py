"""Structural faults: what a strict provider would refuse, or no proxy may change, and the client did not do itself.

A check walks the whole history, and most requests only add to a history that was found sound: those are passed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from proxy.demo.structure import changed_by_the_way, violations
from proxy.replay.ledger import Ledger
from proxy.replay.prompt import Prompt
from proxy.replay.recall import shared_start

_POSITION = re.compile(r"\bmessages? \d+( and \d+)?")


class Soundness:
    """Judges the forwarded prompts of one session in order, each against what the client sent."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._sound: tuple[Prompt, Prompt] | None = None

    def faults(self, forwarded: Prompt, untouched: Prompt) -> tuple[str, ...]:
        """The faults of one request."""
        found: tuple[str, ...] = ()
        if forwarded is not untouched and not self._only_grew(forwarded, untouched):
            found = faults(self._ledger.values(forwarded), self._ledger.values(untouched))
        self._sound = None if found else (forwarded, untouched)
        return found

    def _only_grew(self, forwarded: Prompt, untouched: Prompt) -> bool:
        """Whether both sides are sound ones before them with the same messages added, behind the same latest turn."""
        if self._sound is None:
            return False
        for now, before in zip((forwarded, untouched), self._sound, strict=True):
            if shared_start(before.digests, now.digests) < len(before.digests):
                return False
        known = len(self._sound[1].digests)
        added = len(untouched.digests) - known
        turn = next((n for n in range(1, known + 1) if self._is_answer(untouched.digests[known - n])), known)
        same = added + turn
        return list(forwarded.digests[-same:]) == list(untouched.digests[-same:])

    def _is_answer(self, digest: bytes) -> bool:
        return self._ledger.said(digest).role == "assistant"


def faults(forwarded: Sequence[dict[str, Any]], untouched: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The faults of the forwarded messages beyond those of the client's, in order."""
    after, before = {"messages": list(forwarded)}, {"messages": list(untouched)}
    return (*_beyond(violations(after), violations(before)), *changed_by_the_way(after, before))


def _beyond(found: Sequence[str], own: Sequence[str]) -> Iterator[str]:
    """Where turns were dropped, the client's own faults stand at other positions: they are told apart by kind."""
    left = Counter(_kind(fault) for fault in own)
    for fault in found:
        if left[_kind(fault)]:
            left[_kind(fault)] -= 1
        else:
            yield fault


def _kind(fault: str) -> str:
    return _POSITION.sub("message", fault)
