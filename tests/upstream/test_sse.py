"""The ends of event streams."""

from __future__ import annotations

import json

import pytest

from proxy.errors import UpstreamError
from proxy.upstream.sse import Tail, error_event, events, is_complete
from tests.scripted_upstream import DONE, chunk, event

BROKEN = UpstreamError("it broke", kind="truncated")


def parsed(stream: bytes) -> list[bytes]:
    """The events that a client makes of a stream: the standard's algorithm, any newline."""
    found: list[bytes] = []
    data: list[bytes] = []
    for line in stream.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            found.append(b"\n".join(data))
            data = []
    return found


ENDS = [b"", b"data: {}\n\n", b"data: {}\r\n\r\n", b"data: {}\r\r", b"data: {}\n", b"data: {}\r\n", b"data: {}\r\n\r"]
ENDS += [b"data: {}\r", b"data: {}", b'data: {"a', b": ping", b"data: ", b"event: x\n", b"d"]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("known", [4, 100])
def test_the_error_is_an_event_of_its_own_wherever_the_stream_stopped(end: bytes, known: int) -> None:
    seen = parsed(end + error_event(BROKEN, end[-known:]))
    assert json.loads(seen[-1]) == BROKEN.body()
    assert len(seen) == 1 + (end.startswith(b"data:"))


def test_no_blank_lines_are_added_at_a_border() -> None:
    assert error_event(BROKEN, b"x\n\n").startswith(b"data: ")


@pytest.mark.parametrize(
    "end",
    [
        DONE,
        b"data:[DONE]\r\n\r\n",
        event(chunk({}, "stop")),
        event(chunk({}, "tool_calls")) + event({"choices": [], "usage": {}}),
        event({"error": {"message": "no"}}),
    ],
)
def test_a_stream_that_says_so_is_complete(end: bytes) -> None:
    assert is_complete(event(chunk({"content": "x"})) + end)


@pytest.mark.parametrize(
    "end",
    [
        b"",
        event(chunk({"content": "x"})),
        event(chunk({"content": '"finish_reason": "stop"'})),
        event(chunk({"content": "\ndata: [DONE]"})),
        event({"error": None, **chunk({})}),
        b'data: {"choices": [{"finish_reason": null',
    ],
)
def test_a_stream_that_only_stops_is_not(end: bytes) -> None:
    assert not is_complete(end)


def test_the_events_of_a_tail() -> None:
    assert events(b"cut\n\nid: 1\ndata: a\ndata:b\n\n: ping\n\ndata: c") == [b"a\nb", b"c"]


def test_a_tail_keeps_at_least_its_limit_and_not_much_more() -> None:
    tail = Tail(10)
    for number in range(1000):
        tail.add(b"%04d" % number)
    assert bytes(tail) == b"099709980999"


def test_a_tail_keeps_a_large_chunk_whole() -> None:
    tail = Tail(4)
    tail.add(b"x" * 100)
    assert len(bytes(tail)) == 100
