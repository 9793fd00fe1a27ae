"""The sentences of a text, each with the line that it starts on; what stands in fences is none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from policies.audit.lines import BULLET, HEADING, fenced, lines_of

_ENDS = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\b[A-Z])[.!?:]+[\"'\u201d\u2019)\]*_`]*(?=\s+[A-Z0-9\"'\u201c(\[*`_<])|[\u3002\uff01\uff1f]"
)
_TAGS_ONLY = re.compile(r"(?:\s*</?[A-Za-z][^<>]*>)+\s*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`line` counts from 1 in the text it was found in."""

    text: str
    line: int


def sentences(text: str, passed_over: Collection[int] = ()) -> tuple[Sentence, ...]:
    """In order; lines whose index is in `passed_over` are not looked at. Headings and lone tags are no sentences."""
    return tuple(
        Sentence(part, start + 1 + block[:offset].count("\n"))
        for start, block in _blocks(text, passed_over)
        for offset, part in _parts(block)
    )


def _blocks(text: str, passed_over: Collection[int]) -> Iterator[tuple[int, str]]:
    """Runs of lines that belong together: a paragraph, one item of a list."""
    lines = lines_of(text)
    within = fenced(lines)
    start, block = 0, ""
    for index, line in enumerate(lines):
        apart = within[index] or index in passed_over or not line.strip() or _stands_alone(line)
        if apart or BULLET.match(line):
            if block:
                yield start, block
            block = ""
        if not apart:
            start = start if block else index
            block += line
    if block:
        yield start, block


def _stands_alone(line: str) -> bool:
    return HEADING.match(line) is not None or _TAGS_ONLY.fullmatch(line) is not None


def _parts(block: str) -> Iterator[tuple[int, str]]:
    """The sentences of a block with their offsets."""
    start = 0
    for end in [*(match.end() for match in _ENDS.finditer(block)), len(block)]:
        part = block[start:end]
        if part.strip():
            yield start + len(part) - len(part.lstrip()), part.strip()
        start = end
