"""Event streams as bytes: whether one came to its end, its last events, and how to add one more.

A stream is relayed and not parsed; what is asked of it afterwards is answered from its last kilobytes.
"""

from __future__ import annotations

import json
import re
from collections import deque

from proxy.errors import ForebayError

_BORDER = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_DONE = re.compile(rb"(?:^|[\r\n])data:[ \t]*\[DONE\]")
# Inside a JSON string the quotes are escaped, so text that quotes this field does not match.
_FINISHED = re.compile(rb'"finish_reason"\s*:\s*"')
_FAILED = re.compile(rb'(?:^|[\r\n])data:[ \t]*\{\s*"error"\s*:\s*[^n\s]')


class Tail:
    """The end of a body: the latest `limit` bytes, rounded up to whole chunks."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._size = 0

    def add(self, chunk: bytes) -> None:
        """Append a chunk; what is no longer needed goes."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= self._limit:
            self._size -= len(self._chunks.popleft())

    def __bytes__(self) -> bytes:
        return b"".join(self._chunks)


def events(tail: bytes) -> list[bytes]:
    """The data of each event in the tail, in order. The first may be cut off at its front."""
    found = []
    for event in _BORDER.split(tail):
        lines = [line[5:].removeprefix(b" ") for line in event.splitlines() if line.startswith(b"data:")]
        if lines:
            found.append(b"\n".join(lines))
    return found


def is_complete(tail: bytes) -> bool:
    """Whether a stream of chat chunks said that it is over: `[DONE]`, a finish reason, or the provider's own error."""
    return any(sign.search(tail) for sign in (_DONE, _FINISHED, _FAILED))


def error_event(error: ForebayError, tail: bytes) -> bytes:
    """What to append to a stream that broke after `tail` (its last four bytes are enough).

    Closes whatever line and event the stream stopped in, whatever its newlines are, so that the error is an
    event of its own. It is the last one: no `[DONE]` follows.
    """
    at_border = not tail or tail.endswith((b"\n\n", b"\r\n\r\n"))
    body = json.dumps(error.body(), separators=(",", ":")).encode()
    return (b"" if at_border else b"\n\n") + b"data: " + body + b"\n\n"
