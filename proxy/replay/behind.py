"""What stands behind a locator: the evidence in the originals that a plan took out.

Originals are resolved as the proxy does it, from the request at hand, and read once per session, for a locator
names its content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from policies.conversation import Conversation
from policies.edits import Edit
from proxy.keeping import Original, originals
from proxy.replay.evidence import items
from proxy.replay.said import NOTHING, arguments_text, said


class Behind:
    """The originals of one session."""

    def __init__(self) -> None:
        self._known: dict[str, frozenset[str]] = {}
        self._turns: dict[str, frozenset[str]] = {}

    def fetched(self, edits: tuple[Edit, ...], conversation: Conversation) -> Mapping[str, frozenset[str]]:
        """The items behind each locator that this plan can resolve."""
        found: dict[str, frozenset[str]] = {}
        for original in originals(edits, conversation):
            if original.locator not in self._known:
                self._known[original.locator] = self._items(original)
            found[original.locator] = self._known[original.locator]
        return found

    def _items(self, original: Original) -> frozenset[str]:
        match original.kind:
            case "arguments":
                return items(arguments_text(original.text()))
            case "turns":
                return NOTHING.union(*map(self._turn, original.text().split("\n")))
            case _:
                return items(original.text())

    def _turn(self, line: str) -> frozenset[str]:
        """A dropped message; the next batch drops it together with others, under another locator."""
        if line not in self._turns:
            self._turns[line] = said(json.loads(line), "assistant").all
        return self._turns[line]
