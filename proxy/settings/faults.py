"""How a wrong configuration is told: where it stands, which key, what is wrong, what to do.

A fault is one line. Values are named in it unless their field is not for showing (`repr=False`): a secret
never reaches a message, wherever it was misplaced.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

Key = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing to mend: `origin` is a file, a variable or an option, `key` the dotted key in it."""

    origin: str
    key: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.origin, self.key, self.message) if part)


class ConfigError(Exception):
    """The configuration cannot be used; `str()` of it is one line per fault."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


def dotted(key: Key) -> str:
    """A key as an operator writes it: `models.0.timeouts.idle_seconds`; line breaks in it escaped."""
    return ".".join(str(part) if str(part).isprintable() else ascii(part)[1:-1] for part in key)


def key_of(text: str) -> Key:
    """`dotted`, back."""
    return tuple(int(part) if part.isdecimal() else part for part in text.split("."))


def suggest(name: str, known: Collection[str]) -> str:
    """What was probably meant by an unknown name, else what there is."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; known are {', '.join(sorted(known))}" if len(known) <= 20 else "; see docs/configuration.md"
