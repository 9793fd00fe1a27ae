"""Lines of a prompt text: which of them are fenced, bullets, tags, headings."""

from __future__ import annotations

import re
from collections.abc import Sequence

BULLET = re.compile(r"[ \t]*(?:[-*+•]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]+(?=\S)")
HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(\S.*?)[ \t]*#*[ \t]*$")
TAG = re.compile(r"[ \t]*<([A-Za-z][\w.:-]*)(?:[ \t][^<>]*)?>")
_RULE = re.compile(r"(?:=+|-{3,})[ \t]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LONGEST_TITLE = 60
_SENTENCE_ENDS = (".", "!", "?", ",", ";")


def lines_of(text: str) -> tuple[str, ...]:
    """The lines with their ends; put together they are the text."""
    return tuple(re.findall(r"[^\n]*\n|[^\n]+", text))


def fenced(lines: Sequence[str]) -> list[bool]:
    """For each line whether it belongs to a fenced block, the fences themselves included."""
    inside: list[bool] = []
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        if not fence:
            inside.append(found is not None)
            fence = found.group(1) if found else ""
        else:
            inside.append(True)
            if found and found.group(1).startswith(fence) and not line[found.end() :].strip():
                fence = ""
    return inside


def is_heading(lines: Sequence[str], index: int) -> bool:
    """Whether a section's title stands here: by markdown, or a short line of its own above what it heads."""
    line = lines[index]
    if HEADING.match(line):
        return True
    text = line.strip()
    opens = index == 0 or not lines[index - 1].strip()
    if not text or not opens or len(text) > _LONGEST_TITLE or BULLET.match(line):
        return False
    below = lines[index + 1] if index + 1 < len(lines) else ""
    if _RULE.match(below):
        return True
    bare = text.strip("*_ ")
    if bare.endswith(_SENTENCE_ENDS):
        return False
    shouts = bare.isupper() and sum(letter.isalpha() for letter in bare) > 3
    return bare.endswith(":") or text.startswith("**") or shouts or BULLET.match(below) is not None


def tag_end(lines: Sequence[str], index: int) -> int | None:
    """The line behind the block that a tag opens here; None where none opens, or what opens never closes."""
    opened = TAG.match(lines[index])
    if not opened:
        return None
    closing = f"</{opened.group(1)}>"
    for end in range(index, len(lines)):
        if lines[end].rstrip().endswith(closing):
            return end + 1
    return None
