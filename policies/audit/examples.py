"""Examples in prompts: found by what stands above them, and told if they are a large part of the texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from policies.audit.lines import TAG, fenced, lines_of, tag_end
from policies.audit.sections import Section

_KINDS = "an?|another|bad|complete|detailed|first|full|good|here is|one|second|short|the|third|two|worked"
_OPENS = re.compile(
    rf"[\W\d_]*(?:(?:{_KINDS})\s+)*(?:examples?|samples?|demonstrations?)\s*(?:\d+|[A-Z]|one|two|three)?[\s*_]*(?:[:.(\u2013\u2014-]|$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\b(?:examples?|samples?|demonstrations?|for instance|e\.g\.)", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:few[- ]shot|examples?|samples?|demonstrations?)\b", re.IGNORECASE)
_LONGEST_LEAD = 100


@dataclass(frozen=True, slots=True)
class Example:
    """The lines of an example in its section, from 0, `end` not included."""

    start: int
    end: int


def examples(section: Section) -> tuple[Example, ...]:
    """The examples of a section in order: all of it, cut at each lead, if it is named so."""
    lines = lines_of(section.text)
    within = fenced(lines)
    if _NAMED.search(section.name):
        leads = [index for index, line in enumerate(lines) if index and not within[index] and _leads(line)]
        starts = leads or [0]  # what stands above the first lead only announces it
        return tuple(Example(*pair) for pair in zip(starts, [*starts[1:], len(lines)], strict=True))
    found: list[Example] = []
    index = 0
    while index < len(lines):
        end = index + 1 if within[index] or not _leads(lines[index]) else _end(lines, within, index)
        if end > index + 1:
            found.append(Example(index, end))
        index = end
    return tuple(found)


def _leads(line: str) -> bool:
    """Whether an example follows: a tag of that name, or a short line that says so in its first words."""
    tag = TAG.match(line)
    if tag:
        return _NAMED.search(tag.group(1).replace("_", " ")) is not None
    text = line.strip()
    if len(text) > _LONGEST_LEAD:
        return False
    return _OPENS.match(text) is not None or (text.endswith(":") and _WORD.search(text) is not None)


def _end(lines: Sequence[str], within: Sequence[bool], start: int) -> int:
    """Behind the block in tags, else behind the paragraph, and behind the fence that follows it directly."""
    closed = tag_end(lines, start)
    if closed is not None:
        return closed
    index = start
    while index < len(lines) and lines[index].strip() and not within[index]:
        index += 1
    behind = index
    while behind < len(lines) and not lines[behind].strip():
        behind += 1
    if behind == len(lines) or not within[behind]:
        return index
    while behind < len(lines) and within[behind]:
        behind += 1
    return behind
