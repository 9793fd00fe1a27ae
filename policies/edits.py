"""What may happen to a conversation, as data: replace a text, replace arguments, drop messages, add a note.

Indices are those of the messages as the client sent them. Token counts are of the text before and after,
so that a report is a sum over edits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

By = Literal[
    "noise",
    "repeat",
    "spill",
    "clear_result",
    "clear_argument",
    "stale_read",
    "shorten",
    "drop",
    "summary",
    "isolate",
]


@dataclass(frozen=True, slots=True)
class Replace:
    """Part `part` of message `index` says `text` instead; `locator` leads back to what stood there."""

    index: int
    part: int
    text: str
    locator: str
    before: int
    after: int
    by: By


@dataclass(frozen=True, slots=True)
class ReplaceArguments:
    """The argument string of call `call` of message `index` becomes `text`, a JSON object with the same keys."""

    index: int
    call: int
    text: str
    locator: str
    before: int
    after: int
    by: By = "clear_argument"


@dataclass(frozen=True, slots=True)
class Drop:
    """Messages `start` up to, not including, `end` leave; `tokens` is what they weighed when they came."""

    start: int
    end: int
    locator: str
    tokens: int
    by: By = "drop"


@dataclass(frozen=True, slots=True)
class Note:
    """`text` is appended to user message `index`, after the client's own words; with `insert` it becomes a
    user message of its own before message `index`."""

    index: int
    text: str
    tokens: int
    insert: bool = False


Edit = Replace | ReplaceArguments | Drop | Note
