"""What a recorded session is, and how a file says what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

Message = dict[str, Any]


class RecordingError(ValueError):
    """A file that cannot be read as recorded sessions; the message is one line: file, line, what was expected."""


class UnknownFormat(RecordingError):
    """The file is readable, but holds none of the known formats; who walks a folder may pass it over."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One session in OpenAI's messages, every call followed by exactly its results.

    `tools` are the recording's own definitions, else minimal ones made from its calls, None where it has no calls.
    `mends` says in sentences what had to be changed to make the messages sound. The first `given` messages stood
    there before the model was first asked (a demonstration), and `unanswered` means that the whole list was sent
    for an answer that the recording does not hold (a captured request).
    """

    name: str
    messages: list[Message]
    tools: list[dict[str, Any]] | None
    format: str
    mends: tuple[str, ...] = field(default=(), kw_only=True)
    given: int = field(default=0, kw_only=True)
    unanswered: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file: its line where lines mean something, and the way to it inside a document."""

    path: Path
    line: int | None = None
    inside: tuple[str, ...] = ()

    def at(self, step: str) -> Place:
        """A place further inside: `place.at("message 3")`."""
        return replace(self, inside=(*self.inside, step))

    def fault(self, message: str) -> RecordingError:
        """The error to raise for what is wrong here."""
        return RecordingError(f"{self}: {message}")

    def unknown(self, message: str) -> UnknownFormat:
        """The error to raise where the content is of no known format."""
        return UnknownFormat(f"{self}: {message}")

    def __str__(self) -> str:
        file = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return ", ".join([file, *self.inside])


def kind(value: object) -> str:
    """A JSON value's type in JSON's own words, for error messages."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
