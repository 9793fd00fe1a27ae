"""The texts that stand where something was taken out: constant, without instructions, never empty.

A marker says what is missing, how much, and the locator under which it is kept. Nothing in it varies with
time or with the rest of the conversation.
"""

from __future__ import annotations


def cleared(tokens: int, lines: int, locator: str) -> str:
    """In place of an old tool result."""
    return f"[Forebay: result cleared, {tokens} tokens in {lines} lines; kept as {locator}]"


def cleared_value(tokens: int, locator: str) -> str:
    """In place of a long value among the arguments of an old call."""
    return f"[Forebay: value cleared, {tokens} tokens; arguments kept as {locator}]"


def left_out(first: int, last: int, locator: str) -> str:
    """In place of lines `first` to `last` (counted from 1) of a shortened result."""
    return f"[Forebay: lines {first}-{last} left out; all kept as {locator}]"


def gap(first: int, last: int) -> str:
    """In place of lines `first` to `last` (counted from 1) of a preview: short, for its headline says the rest."""
    return f"[lines {first}-{last} left out]"


def preview(kind: str, lines: int, tokens: int, facts: str, locator: str) -> str:
    """The headline over the lines that are shown of a spilled result."""
    told = f"; {facts}" if facts else ""
    return f"[Forebay: preview of {kind}, {lines} lines, {tokens} tokens{told}; all kept as {locator}]"


def dropped(turns: int, tokens: int, locator: str) -> str:
    """After the pinned user text, once turns were dropped."""
    return f"[Forebay: the {turns} oldest turns, {tokens} tokens, were dropped here; kept as {locator}]"
