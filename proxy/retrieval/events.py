"""Event streams, parsed as they come: any newline style, any chunks, every byte kept.

Only a stream that may hold a call of ours is parsed; all others are relayed unread.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

DONE = b"[DONE]"

# A line's end and an empty line. A carriage return that waits for its line feed is no end yet.
_BORDER = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)")
_LONGEST_BORDER = 4


class Events:
    """Takes chunks, gives whole events as they stand, each with the empty line that ends it."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The events that this chunk completes."""
        self._buffer += chunk
        start = 0
        while border := _BORDER.search(self._buffer, max(start, self._searched)):
            yield bytes(self._buffer[start : border.end()])
            start = self._searched = border.end()
        del self._buffer[:start]
        self._searched = max(0, len(self._buffer) - _LONGEST_BORDER)

    def rest(self) -> bytes:
        """What came after the last border: an event that the stream ended in, or nothing."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        return rest


def data_of(event: bytes) -> bytes | None:
    """The data of an event; None for a comment or anything else without data."""
    lines = event.removeprefix(b"\xef\xbb\xbf").splitlines()
    data = [line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:")]
    return b"\n".join(data) if data else None


def chunk_of(data: bytes) -> dict[str, Any] | None:
    """The JSON object in an event's data; None for what is none. Half a surrogate pair stays as it came."""
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return chunk if isinstance(chunk, dict) else None


def event_of(chunk: dict[str, Any]) -> bytes:
    """A chunk as an event."""
    return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"
