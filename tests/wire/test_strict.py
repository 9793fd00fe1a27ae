"""strict: one reading of JSON only, and lone surrogates mended in place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import RequestError
from proxy.wire.strict import mend, strict_loads


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b'{"a":{"b":1,"b":2}}', "'b' stands twice"),
        (b'[{"x":1,"\\u0078":2}]', "'x' stands twice"),
        (b"NaN", "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"{} x", "Extra data"),
        (b"\xef\xbb\xbf{}", "not valid JSON"),
        (b'"\xff"', "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        ('"x"'.encode("utf-16"), "not UTF-8"),
        ('"x"'.encode("utf-32-le"), "not valid JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 5000, "not valid JSON"),
        (b"", "not valid JSON"),
    ],
)
def test_refuses(raw: bytes, says: str) -> None:
    with pytest.raises(RequestError, match=says) as caught:
        strict_loads(raw, "tools")
    assert caught.value.param == "tools"


@pytest.mark.parametrize("value", [None, True, 1.5, "", [], {}, {"a": [{"b": "\u00e9\U0001f600"}]}, 10**30])
def test_reads_what_json_reads(value: Any) -> None:
    assert strict_loads(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("text", "expected", "count"),
    [
        (rb"\ud800", rb"\ufffd", 1),
        (rb"\udc00", rb"\ufffd", 1),
        (rb"\uD83D\uDE00", rb"\uD83D\uDE00", 0),
        (rb"\ud83d\ud83d\ude00", rb"\ufffd\ud83d\ude00", 1),
        (rb"\ude00\ud83d", rb"\ufffd\ufffd", 2),
        (rb"\ud83dx\ude00", rb"\ufffdx\ufffd", 2),
        (rb"\\ud800", rb"\\ud800", 0),
        (rb"\\\ud800", rb"\\\ufffd", 1),
        (rb"\ud83d\\ude00", rb"\ufffd\\ude00", 1),
        (rb"\\\\ud800\ud800", rb"\\\\ud800\ufffd", 1),
        (rb"\\ud83d\ude00", rb"\\ud83d\ufffd", 1),
        (rb"\u0041\ud7ff\ue000", rb"\u0041\ud7ff\ue000", 0),
    ],
)
def test_mends_lone_surrogates_only(text: bytes, expected: bytes, count: int) -> None:
    assert mend(b'{"a":"' + text + b'"}') == (b'{"a":"' + expected + b'"}', count)


@pytest.mark.parametrize("backslashes", [15, 16, 17, 255, 256, 257, 100_001])
def test_a_long_run_of_backslashes_is_counted_to_its_start(backslashes: int) -> None:
    run = b"\\" * backslashes
    assert mend(run + b"ud800")[1] == backslashes % 2
    assert mend(b'"' + run + b"ud800")[1] == backslashes % 2


def test_sound_bytes_are_the_same_object() -> None:
    body = rb'{"a":"\uD83D\uDE00 \\ud800"}'
    assert mend(body)[0] is body


@given(st.text(alphabet=st.characters(codec=None) | st.sampled_from("\\\ud83d\ude00u"), max_size=40))
def test_mending_replaces_exactly_the_lone_ones(text: str) -> None:
    mended, count = mend(json.dumps(text).encode())
    joined = json.loads(json.dumps(text))  # neighbouring halves become one character
    lone = sum("\ud800" <= c <= "\udfff" for c in joined)
    assert count == lone
    assert json.loads(mended) == "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in joined)
