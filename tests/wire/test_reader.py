"""reader and cache: each distinct slice is decoded once, texts are reached on demand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.errors import RequestError
from proxy.wire.cache import Generations
from proxy.wire.envelope import Envelope, slice_body
from proxy.wire.fixed import REPLY_TOKENS
from proxy.wire.reader import Reader

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"p": 1}'}}
HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "result"},
]


class Counting:
    """Counts characters, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, text: str) -> int:
        self.asked += 1
        return len(text)


def envelope(messages: list[Any], **fields: Any) -> Envelope:
    return slice_body(json.dumps({"model": "m", "messages": messages, **fields}).encode())


def test_a_known_slice_is_not_counted_again() -> None:
    count = Counting()
    reader = Reader(count)
    first = reader.read(envelope(HISTORY))
    asked = count.asked
    second = reader.read(envelope(HISTORY))
    assert count.asked == asked
    assert second.messages == first.messages
    assert (first.unknown_bytes > 0, second.unknown_bytes) == (True, 0)


def test_new_bytes_are_those_of_messages_not_met_before() -> None:
    reader = Reader(len)
    reader.read(envelope(HISTORY))
    new = {"role": "user", "content": "and now?"}
    grown = envelope([*HISTORY, new])
    assert reader.new_bytes(grown) == len(json.dumps(new))
    assert reader.read(grown).unknown_bytes == len(json.dumps(new))


def test_another_serialisation_has_the_same_facts() -> None:
    reader = Reader(len)
    plain = reader.read(envelope(HISTORY))
    indented = reader.read(slice_body(json.dumps({"model": "m", "messages": HISTORY}, indent=2).encode()))
    assert indented.unknown_bytes > 0
    assert indented.messages == plain.messages
    assert indented.chain == plain.chain


def test_texts_and_arguments_reach_back_into_the_request() -> None:
    talk = Reader(len).read(envelope(HISTORY)).conversation
    assert [talk.text(0, 0), talk.text(1, 0), talk.text(1, 1), talk.text(3, 0)] == ["Be brief.", "one", "two", "result"]
    assert talk.text(2, 0) == ""
    assert talk.arguments(2, 0) == '{"p": 1}'
    assert json.loads(talk.canonical(2)) == {"role": "assistant", "tool_calls": [CALL]}


def test_legacy_arguments_are_reached_too() -> None:
    legacy = {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}
    assert Reader(len).read(envelope([legacy])).conversation.arguments(0, 0) == "{}"


def test_arguments_that_are_no_text_read_as_empty() -> None:
    odd = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}
    assert Reader(len).read(envelope([odd])).conversation.arguments(0, 0) == ""


def test_a_message_is_decoded_at_most_once_per_request() -> None:
    read = Reader(len).read(envelope(HISTORY))
    assert read.decoded(1) is read.decoded(1)


def test_raw_gives_the_bytes_of_a_message() -> None:
    assert Reader(len).read(envelope(HISTORY)).raw(3) == json.dumps(HISTORY[3]).encode()


def test_the_chain_of_a_grown_history_starts_with_the_old_one() -> None:
    reader = Reader(len)
    before = reader.read(envelope(HISTORY[:3])).chain
    after = reader.read(envelope(HISTORY)).chain
    changed = reader.read(envelope([{"role": "system", "content": "x"}, *HISTORY[1:]])).chain
    assert after[:3] == before
    assert not set(changed) & set(after)


def test_a_mended_message_reads_as_mended() -> None:
    read = Reader(len).read(slice_body(b'{"model":"m","messages":[{"role":"user","content":"a\\ud800"}]}'))
    assert read.mended == 1
    assert read.conversation.text(0, 0) == "a\ufffd"


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (b'{"role":"user","role":"user"}', "stands twice"),
        (b'{"role":"user","content":[{"type":"text","type":"x"}]}', "stands twice"),
        (b'{"role":"user","content":"\xff"}', "not UTF-8"),
        (b'{"content":"x"}', "role"),
        (b'{"role":"user","x":' + b"[" * 400 + b"]" * 400 + b"}", "nested"),
    ],
)
def test_a_malformed_message_is_named_by_its_place(message: bytes, says: str) -> None:
    raw = b'{"model":"m","messages":[{"role":"user"},' + message + b"]}"
    if says == "nested":
        raw = raw.replace(b"[" * 400, b"[" * 700).replace(b"]" * 400, b"]" * 700)
    with pytest.raises(RequestError, match=says) as caught:
        Reader(len).read(slice_body(raw))
    assert str(caught.value.param).startswith("messages[1]")


@pytest.mark.parametrize("field", ["tools", "metadata", "response_format"])
def test_another_container_is_read_strictly(field: str) -> None:
    raw = b'{"model":"m","messages":[{"role":"user"}],"%s":[{"a":1,"a":2}]}' % field.encode()
    with pytest.raises(RequestError) as caught:
        Reader(len).read(slice_body(raw))
    assert caught.value.param == field


def test_tools_schemas_and_predictions_are_the_fixed_part() -> None:
    reader = Reader(len)
    tools = [{"type": "function", "function": {"name": "f"}}]
    compact = len(json.dumps(tools, separators=(",", ":"), sort_keys=True))
    assert reader.fixed_tokens(envelope(HISTORY)) == REPLY_TOKENS
    for key in ("tools", "functions", "response_format"):
        assert reader.fixed_tokens(envelope(HISTORY, **{key: tools})) == REPLY_TOKENS + compact
    for content in ("guess", [{"type": "text", "text": "guess"}]):
        prediction = {"type": "content", "content": content}
        assert reader.fixed_tokens(envelope(HISTORY, prediction=prediction)) == REPLY_TOKENS + 5
    assert reader.read(envelope(HISTORY, tools=tools)).fixed_tokens == REPLY_TOKENS + compact


@pytest.mark.parametrize("empty", [[], {}, None])
def test_nothing_to_read_is_no_fixed_part(empty: Any) -> None:
    fields = dict.fromkeys(("tools", "functions", "response_format", "prediction"), empty)
    assert Reader(len).fixed_tokens(envelope(HISTORY, metadata={"a": "b"}, **fields)) == REPLY_TOKENS


def test_a_cache_marker_on_a_tool_does_not_change_the_fixed_part() -> None:
    reader = Reader(len)
    tool = {"type": "function", "function": {"name": "f"}}
    marked = {**tool, "cache_control": {"type": "ephemeral"}}
    assert reader.fixed_tokens(envelope(HISTORY, tools=[tool])) == reader.fixed_tokens(
        envelope(HISTORY, tools=[marked])
    )


def test_the_cache_is_bounded_and_keeps_what_is_used() -> None:
    cache: Generations[int] = Generations(100)
    cache.put(b"used", 1, 1)
    for number in range(1000):
        cache.put(b"%d" % number, number, 1)
        assert cache.get(b"used") == 1
        assert len(cache) <= 101
    assert cache.get(b"0") is None
    assert cache.get(b"999") == 999


def test_an_entry_heavier_than_the_cache_still_serves() -> None:
    reader = Reader(len, capacity_bytes=10)
    assert len(reader.read(envelope(HISTORY)).messages) == len(HISTORY)
