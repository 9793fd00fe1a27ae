from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.retrieval.events import Events, chunk_of, data_of
from proxy.retrieval.merging import merged

STREAM = b': hi\n\ndata: {"a": "\xc3\xa5"}\r\n\r\ndata:x\rdata: y\r\revent: e\ndata: [DONE]\n\n'
DATA = [None, b'{"a": "\xc3\xa5"}', b"x\ny", b"[DONE]"]


def heard(chunks: list[bytes]) -> list[bytes]:
    events = Events()
    told = [event for chunk in chunks for event in events.feed(chunk)]
    return [*told, *filter(None, [events.rest()])]


@given(st.lists(st.integers(0, len(STREAM)), max_size=30))
def test_events_are_whole_and_every_byte_is_kept_however_the_stream_is_cut(cuts: list[int]) -> None:
    places = sorted({0, *cuts, len(STREAM)})
    told = heard([STREAM[start:end] for start, end in pairwise(places)])
    assert b"".join(told) == STREAM
    assert [data_of(event) for event in told if event.strip()] == DATA


def test_every_byte_alone() -> None:
    told = heard([bytes([byte]) for byte in STREAM])
    assert [data_of(event) for event in told if event.strip()] == DATA


def test_an_event_that_the_stream_ends_in_is_told() -> None:
    assert heard([b"data: a\n\ndata: b"]) == [b"data: a\n\n", b"data: b"]


def test_a_large_event_in_small_chunks_takes_its_time_once() -> None:
    big = b"data: " + b"x" * 300_000 + b"\n\n"
    assert heard([big[at : at + 7] for at in range(0, len(big), 7)]) == [big]


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"1", b"\xff"])
def test_what_is_no_chunk_is_none(data: bytes) -> None:
    assert chunk_of(data) is None


@pytest.mark.parametrize(
    ("deltas", "whole"),
    [
        ([{"a": "x"}, {"a": None, "b": "y"}, {"a": "z"}], {"a": "xz", "b": "y"}),
        (
            [
                {"id": "1", "type": "t", "n": {"name": "f", "arguments": "{"}},
                {"id": "1", "type": "t", "n": {"name": "f", "arguments": "}"}},
            ],
            {"id": "1", "type": "t", "n": {"name": "f", "arguments": "{}"}},
        ),
        (
            [
                {"t": [{"type": "thinking", "thinking": "a"}]},
                {"t": [{"type": "thinking", "thinking": "b"}]},
                {"t": [{"type": "thinking", "thinking": "", "signature": "s"}]},
                {"t": [{"type": "thinking", "thinking": "c"}]},
            ],
            {"t": [{"type": "thinking", "thinking": "ab", "signature": "s"}, {"type": "thinking", "thinking": "c"}]},
        ),
        (
            [
                {"d": [{"index": 0, "type": "reasoning.text", "text": "a"}]},
                {"d": [{"index": 1, "type": "reasoning.text", "text": "b"}]},
                {"d": [{"index": 0, "type": "reasoning.text", "text": "c"}]},
            ],
            {
                "d": [
                    {"index": 0, "type": "reasoning.text", "text": "ac"},
                    {"index": 1, "type": "reasoning.text", "text": "b"},
                ]
            },
        ),
    ],
    ids=["texts", "names do not grow", "signed thinking", "indexed parts"],
)
def test_deltas_become_what_a_whole_answer_says(deltas: list[dict[str, Any]], whole: dict[str, Any]) -> None:
    told: dict[str, Any] = {}
    for delta in deltas:
        told = merged(told, delta)
    assert told == whole
