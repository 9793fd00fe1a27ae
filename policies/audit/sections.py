"""A text cut into sections, whole lines each; put together they are the text again.

Cut is where the writer marked a part: at headings, at blocks between XML-like tags, at short title lines. Where no
such mark stands, at numbered parts that open a paragraph; where there are none of these, at paragraphs. A section
that holds more than half of a long text is cut again inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from policies.audit.lines import BULLET, HEADING, TAG, fenced, is_heading, lines_of, tag_end

_LONG = 1_500  # characters
_LONGEST_NAME = 44
_NUMBERED = re.compile(r"(?:(?:part|step|section|chapter|phase|rule)[ \t]+\w{1,4}|\d{1,2}|[IVX]{1,4}|[A-Z])[.):]", re.I)


@dataclass(frozen=True, slots=True)
class Section:
    """`line` is where it starts in its text, from 1."""

    name: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class _Cut:
    lines: Sequence[str]
    fenced: Sequence[bool]
    long: int


def cut(text: str) -> tuple[Section, ...]:
    """The sections of a text in order, none for an empty one; names are told apart by a number."""
    lines = lines_of(text)
    whole = _Cut(lines, fenced(lines), max(_LONG, len(text) // 2))
    seen: dict[str, int] = {}
    sections: list[Section] = []
    for start, end in _pieces(whole, 0, len(lines)):
        name = _name(lines[start:end])
        seen[name] = seen.get(name, 0) + 1
        told = name if seen[name] == 1 else f"{name} ({seen[name]})"
        sections.append(Section(told, start + 1, "".join(lines[start:end])))
    return tuple(sections)


def _pieces(whole: _Cut, start: int, end: int) -> list[tuple[int, int]]:
    """Where each piece starts and ends."""
    for rule in _RULES:
        starts = rule(whole, start, end)
        if any(not _is_blank(whole.lines[start:mark]) for mark in starts):
            break
    else:
        return [(start, end)] if end > start else []
    bounds = [start, *(mark for mark in starts if mark > start), end]
    found: list[tuple[int, int]] = []
    first = start
    for last, behind in zip(bounds[1:], [*bounds[2:], end], strict=True):
        # blank lines go with what stands before them, and at the very start with what follows
        if _is_blank(whole.lines[first:last]) or (last < end and _is_blank(whole.lines[last:behind])):
            continue
        found += _cut_again(whole, first, last)
        first = last
    return found


def _cut_again(whole: _Cut, start: int, end: int) -> list[tuple[int, int]]:
    if sum(map(len, whole.lines[start:end])) <= whole.long:
        return [(start, end)]
    return _pieces(whole, start, end)


def _marked(whole: _Cut, start: int, end: int) -> list[int]:
    """Headings and blocks in tags; inside a block nothing is a mark."""
    marks: list[int] = []
    lines = whole.lines[:end]
    index = start
    while index < end:
        closed = None if whole.fenced[index] else tag_end(lines, index)
        if closed is not None and (closed < end or index > start):
            marks.append(index)
            if closed < end:
                marks.append(closed)
            index = closed
            continue
        if not whole.fenced[index] and is_heading(lines, index):
            marks.append(index)
        index += 1
    return sorted(set(marks))


def _numbered(whole: _Cut, start: int, end: int) -> list[int]:
    return [mark for mark in _paragraphs(whole, start, end) if _NUMBERED.match(whole.lines[mark])]


def _paragraphs(whole: _Cut, start: int, end: int) -> list[int]:
    return [
        index
        for index in range(start, end)
        if not whole.fenced[index]
        and whole.lines[index].strip()
        and (index == start or not whole.lines[index - 1].strip())
    ]


_RULES: tuple[Callable[[_Cut, int, int], list[int]], ...] = (_marked, _numbered, _paragraphs)


def _is_blank(lines: Sequence[str]) -> bool:
    return not "".join(lines).strip()


def _name(lines: Sequence[str]) -> str:
    """The title, else how the section begins."""
    first = next((line for line in lines if line.strip()), "")
    heading, tag = HEADING.match(first), TAG.match(first)
    if heading:
        return _short(heading.group(1))
    if tag:
        return f"<{tag.group(1)}>"
    bullet = None if _NUMBERED.match(first) else BULLET.match(first)
    return _short(first[bullet.end() :] if bullet else first) or "(blank)"


def _short(text: str) -> str:
    words = " ".join(text.split()).strip("*_: ")
    if len(words) <= _LONGEST_NAME:
        return words
    return words[:_LONGEST_NAME].rsplit(" ", 1)[0] + " ..."
