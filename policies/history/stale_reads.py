"""Stale reads: what a read showed is no longer so, for the file was edited or read again since.

A call says which file it is about by an argument with a usual name, and what it does to it by the words in the
tool's name. A later read of the same part, or any later edit, makes an earlier read stale.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from policies.conversation import Conversation

PATH_KEYS = ("path", "file_path", "filePath", "file", "filename", "target_file", "absolute_path", "relative_path")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READS = frozenset({"read", "view", "cat", "open", "show", "get", "load"})
_EDITS = frozenset(
    {"write", "edit", "patch", "replace", "create", "insert", "delete", "update", "save", "apply", "move"}
)


@dataclass(frozen=True, slots=True)
class _Read:
    index: int
    call_id: str
    arguments: str


class Files:
    """Which reads of which files still show what is there."""

    __slots__ = ("fresh", "stale")

    def __init__(self) -> None:
        self.fresh: dict[str, tuple[_Read, ...]] = {}
        self.stale: tuple[_Read, ...] = ()  # not yet taken by a batch

    def copy(self) -> Self:
        """A memory that can grow apart from this one."""
        twin = object.__new__(type(self))
        twin.fresh, twin.stale = self.fresh.copy(), self.stale
        return twin

    def called(self, conversation: Conversation, index: int) -> None:
        """Take in the calls of an assistant message."""
        for position, call in enumerate(conversation.messages[index].calls):
            act = does(call.name)
            if act is None:
                continue
            arguments = conversation.arguments(index, position)
            path = path_of(arguments)
            if path is None:
                continue
            overtaken = [read for read in self.fresh.get(path, ()) if act == "edits" or read.arguments == arguments]
            left = tuple(read for read in self.fresh.get(path, ()) if read not in overtaken)
            self.stale += tuple(overtaken)
            self.fresh[path] = (*left, _Read(index, call.id, arguments)) if act == "reads" else left

    def take_stale(self, before: int) -> Iterator[tuple[int, str]]:
        """Message index and id of each stale read's call that stands before message `before`; each once."""
        ripe = tuple(read for read in self.stale if read.index < before)
        self.stale = tuple(read for read in self.stale if read.index >= before)
        yield from ((read.index, read.call_id) for read in ripe)


def does(tool: str) -> str | None:
    """`reads` or `edits`, by the words in a tool's name; None where they say neither."""
    words = {word.lower() for word in _WORD.findall(tool)}
    if words & _EDITS:
        return "edits"
    return "reads" if words & _READS else None


def path_of(arguments: str) -> str | None:
    """The file that a call is about; None where no argument names one."""
    try:
        parsed: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict):
        return None
    return next((parsed[key] for key in PATH_KEYS if isinstance(parsed.get(key), str) and parsed[key]), None)
