"""What a call of a tool of ours asks for: arguments as models write them, read leniently.

Fields that are empty or null count as absent, for many models fill in every field they know. What cannot be
understood becomes one sentence for the model that shows how it is done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from proxy.locators import PATTERN
from proxy.retrieval.pages import Cursor

USAGE = (
    'context_read takes a locator and one of lines, grep or symbol, like {"locator": "art_...", "lines": "10-80"}, '
    '{"locator": "art_...", "grep": "pattern"} or {"locator": "art_...", "symbol": "name"}.'
)

_FIELDS = ("locator", "lines", "grep", "symbol")
_LINES = re.compile(r"\D*?(\d{1,9})(?::(\d{1,9}))?(?:\s*(-|\u2013|,|\.\.+|to|:)\s*L?(\d{1,9})?)?\D*")
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Ask:
    """One reading. `end` None reads on as far as a page goes."""

    locator: str
    start: Cursor = Cursor()  # noqa: RUF009 -- frozen
    end: int | None = None
    grep: str | None = None
    symbol: str | None = None

    @property
    def by(self) -> str:
        """How it reads, as metrics name it."""
        if self.symbol is not None:
            return "symbol"
        return "lines" if self.grep is None else "grep"


class Misread(ValueError):
    """The call cannot be answered; the message is what the model is told."""


def asked(arguments: str) -> Ask:
    """What the call asks for; Misread where it does not say."""
    fields = strings(arguments, _FIELDS, USAGE)
    start, end = _lines(fields.get("lines", ""))
    return Ask(_locator(fields.get("locator", "")), start, end, fields.get("grep"), fields.get("symbol"))


def strings(arguments: str, known: Collection[str], usage: str) -> dict[str, str]:
    """The arguments that say something; Misread, with the `usage`, for others than the known, and what is no string."""
    fields = {name: value for name, value in _object(arguments, usage).items() if value is not None and value != ""}
    unknown = [str(name)[:_SHOWN] for name in fields if name not in known]
    if unknown:
        raise Misread(f"There is no argument {', '.join(unknown[:5])}. {usage}")
    wrong = [name for name, value in fields.items() if not isinstance(value, str)]
    if wrong:
        raise Misread(f"{', '.join(wrong)} must be a string. {usage}")
    return fields


def _object(arguments: str, usage: str) -> dict[str, Any]:
    try:
        fields = json.loads(arguments)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise Misread(f"The arguments are no JSON object. {usage}")
    return {name: str(value) if type(value) is int else value for name, value in fields.items()}


def _locator(written: str) -> str:
    """The locator, also where the model copied more of a marker than that."""
    found = PATTERN.search(written)
    if found is None:
        said = f"{written[:_SHOWN]!r} is no locator" if written else "There is no locator in this call"
        raise Misread(f"{said}; one is art_ and 12 characters, as it stands in a [Forebay: ...] marker. {USAGE}")
    return found[0]


def _lines(written: str) -> tuple[Cursor, int | None]:
    """`120` is that line, `10-80` a range, `10-` all from there; `12:5000-` skips characters of a long line."""
    if not written:
        return Cursor(), None
    match = _LINES.fullmatch(written)
    if match is None:
        raise Misread(f'lines {written[:_SHOWN]!r} is no range; write "10-80" or "120". {USAGE}')
    line, skip, dash, last = match.groups()
    if (
        dash is None and skip is not None
    ):  # "10:80" is a range in many languages; characters are skipped only before "-"
        skip, last = None, skip
    start = Cursor(max(1, int(line)), int(skip or 0))
    end = int(last) if last else (None if dash else start.line)
    if end is not None and end < start.line:
        start, end = Cursor(max(1, end)), start.line
    return start, end
