"""JSON as the proxy accepts it: one reading only.

Two parsers may read a doubled key, NaN or broken UTF-8 differently, and so could the upstream; all are refused.
A lone surrogate escape is the exception: agents cut texts in the middle of an emoji and resend them for ever, so
it is mended.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from proxy.errors import RequestError

# A pair is one match, so that what is left is lone.
_SURROGATES = re.compile(rb"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|[c-fC-F][0-9a-fA-F]{2})")
_ESCAPE_LENGTH = 6
MOST_DIGITS = 1_000


def strict_loads(raw: bytes, param: str | None = None) -> Any:
    """The value of a slice; RequestError, naming `param`, where it has none or more than one."""
    try:
        return _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RequestError(f"byte {error.start} of {param or 'the body'} is not UTF-8", param=param) from None
    except RecursionError:
        raise too_deep(param) from None
    except ValueError as error:
        raise RequestError(f"{param or 'the body'} is not valid JSON: {error}", param=param) from None


def too_deep(param: str | None) -> RequestError:
    """The error for a value nested beyond what can be walked."""
    return RequestError(f"{param or 'the body'} is nested too deeply; flatten it", param=param)


def mend(body: bytes) -> tuple[bytes, int]:
    """`body` with every lone surrogate escape turned into \\ufffd, and how many there were.

    Lengths stay, so do all other bytes; escaped backslashes and proper pairs are left alone.
    """
    lone = _lone_surrogates(body)
    if not lone:
        return body, 0
    mended = bytearray(body)
    for start in lone:
        mended[start : start + _ESCAPE_LENGTH] = b"\\ufffd"
    return bytes(mended), len(lone)


def _lone_surrogates(body: bytes) -> list[int]:
    lone: list[int] = []
    for match in _SURROGATES.finditer(body):
        start, end = match.span()
        is_pair = end - start > _ESCAPE_LENGTH
        if body[start - 1 : start] == b"\\" and _is_escaped(body, start):
            if is_pair:  # its first half is text, so the second stands alone
                lone.append(start + _ESCAPE_LENGTH)
        elif not is_pair:
            lone.append(start)
    return lone


def _is_escaped(body: bytes, start: int) -> bool:
    """Whether an odd number of backslashes stands right before `start`."""
    length = 16
    while True:
        before = body[max(0, start - length) : start]
        run = len(before) - len(before.rstrip(b"\\"))
        if run < length:
            return run % 2 == 1
        length *= 16


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        doubled = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"key {doubled[:80]!r} stands twice in one object; send it once")
    return value


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has {len(digits)} digits; send at most {MOST_DIGITS}")
    return int(digits)


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number; send null or a string")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer)
