"""The texts that stand where something was taken out: constant, without instructions, never empty.

A marker says what is missing, how much, and the locator under which it is kept. Nothing in it varies with
time or with the rest of the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence


def cleared(tokens: int, lines: int, locator: str) -> str:
    """In place of an old tool result."""
    return f"[Forebay: result cleared, {tokens} tokens in {lines} lines; kept as {locator}]"


def cleared_value(tokens: int, locator: str, names: Sequence[str]) -> str:
    """In place of the first long value among the arguments of an old call."""
    told = f"; {listed(names)}" if names else ""
    return f"[Forebay: value cleared, {tokens} tokens; arguments kept as {locator}{told}]"


def cleared_too(tokens: int) -> str:
    """In place of a further long value of the same call: the first one says where all of it is kept."""
    return f"[Forebay: value cleared, {tokens} tokens]"


def listed(names: Sequence[str]) -> str:
    """The names that stood in what was cleared, and nowhere else: at the end of a stub."""
    return f"names: {', '.join(names)}"


def stripped(locator: str) -> str:
    """At the end of a result that terminal codes were taken out of."""
    return f"[Forebay: terminal codes and overwritten text left out; original kept as {locator}]"


def repeated(tokens: int, locator: str) -> str:
    """In place of a result that is the same as an earlier one."""
    return f"[Forebay: the same {tokens} tokens as an earlier result above; kept as {locator}]"


def in_a_row(times: int) -> str:
    """Behind the result of a call that is made again and again."""
    return f"[Forebay: the same call with the same result, {times} times in a row]"


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


def summarised(turns: int, tokens: int, also_dropped: int, locator: str) -> str:
    """Over the summary that stands for the oldest turns, after the pinned user text."""
    told = f", {also_dropped} of them dropped and not in it" if also_dropped else ""
    return (
        f"[Forebay: a summary stands for the {turns} oldest turns, {tokens} tokens{told}; kept as {locator}. "
        "It is a record written by a model:]"
    )


def facts_follow() -> str:
    """Between a summary's text and the facts beside it."""
    return "[Forebay: facts of the same turns, word for word:]"


def summary_ends() -> str:
    """Below a summary and its facts."""
    return "[Forebay: end of the summary]"


def dropped(turns: int, tokens: int, locator: str) -> str:
    """After the pinned user text, once turns were dropped."""
    return f"[Forebay: the {turns} oldest turns, {tokens} tokens, were dropped here; kept as {locator}]"


def inherited(messages: int, tokens: int, locator: str) -> str:
    """Behind a sub-agent's task, where its parent's history was left out."""
    return (
        f"[Forebay: {messages} messages of inherited history, {tokens} tokens, were left out on request; "
        f"kept as {locator}]"
    )
