"""Where the values of a JSON object or array stand, found without decoding them.

msgspec checks the JSON and says how long each value is; a walk over keys and separators says where it begins.
"""

from __future__ import annotations

import re

import msgspec

Span = tuple[int, int]

_OPEN = re.compile(rb"[ \t\n\r]*[{\[][ \t\n\r]*")
_KEY = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")[ \t\n\r]*:[ \t\n\r]*')
_NEXT = re.compile(rb"[ \t\n\r]*,[ \t\n\r]*")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_STRING = msgspec.json.Decoder(str)


# The walk is Python: beyond any sane object it would hold up the event loop.
MOST_KEYS = 1_000
LONGEST_KEY = 1_000


class BadKeys(ValueError):
    """An object holds a key twice, or keys beyond all reason; the message says which and what to do."""


def object_spans(text: bytes, span: Span | None = None) -> dict[str, Span]:
    """The span of each value of the object at `span`, in order. Raises what msgspec raises, or BadKeys."""
    start, end = span or (0, len(text))
    values = _OBJECT.decode(memoryview(text)[start:end])
    if len(values) > MOST_KEYS or max(map(len, values), default=0) > LONGEST_KEY:
        raise BadKeys(
            f"an object holds over {MOST_KEYS} keys, or one over {LONGEST_KEY} characters; send fewer, shorter"
        )
    spans: dict[str, Span] = {}
    position = _after(_OPEN, text, start)
    for left in range(len(values) - 1, -1, -1):
        key, position = _key(text, position)
        raw = bytes(values[key])
        # msgspec keeps the last value of a doubled key, so its first one differs, or the key comes again.
        if key in spans or not text.startswith(raw, position):
            raise _doubled(key)
        spans[key] = (position, position + len(raw))
        separator = _NEXT.match(text, position + len(raw))
        if (separator is not None) != (left > 0):
            raise _doubled(key if separator is None else _key(text, separator.end())[0])
        position = separator.end() if separator else position
    return spans


def array_slices(text: bytes, span: Span) -> list[msgspec.Raw]:
    """The raw elements of the array at `span`; they refer to `text` and copy nothing."""
    return _ARRAY.decode(memoryview(text)[span[0] : span[1]])


def array_spans(text: bytes, span: Span, slices: list[msgspec.Raw] | None = None) -> list[Span]:
    """The span of each element of the array at `span`; `slices` saves finding its elements again."""
    spans: list[Span] = []
    position = _after(_OPEN, text, span[0])
    for raw in array_slices(text, span) if slices is None else slices:
        if spans:
            position = _after(_NEXT, text, position)
        end = position + len(raw)
        spans.append((position, end))
        position = end
    return spans


def _doubled(key: str) -> BadKeys:
    return BadKeys(f"key {key[:80]!r} stands twice in one object; send it once")


def _key(text: bytes, position: int) -> tuple[str, int]:
    match = _KEY.match(text, position)
    assert match is not None, "msgspec has checked that a key stands here"
    return _STRING.decode(match[1]), match.end()


def _after(pattern: re.Pattern[bytes], text: bytes, position: int) -> int:
    match = pattern.match(text, position)
    assert match is not None, "msgspec has checked what stands here"
    return match.end()
