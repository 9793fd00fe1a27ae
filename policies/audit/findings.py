"""What an audit says: rows with their weight, findings with their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["repeated statement", "repeated description", "twin tools", "examples", "schema", "filler"]


@dataclass(frozen=True, slots=True)
class Row:
    """A section of a text, or a schema: a line of the table. `line` is where a section starts in its text."""

    group: str
    name: str
    tokens: int
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding stands: a row, and the line in its text or the property in its schema."""

    group: str
    name: str
    line: int | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """`tokens` is an estimate of what could go, `how` says how it was made, `advice` what to do.

    `quote` shows what is meant. `subject` tells whether another prompt has the same finding.
    """

    kind: Kind
    tokens: int
    places: tuple[Place, ...]
    quote: str
    advice: str
    how: str
    subject: str
