"""facts: roles, counts, calls; the types that the API knows and nothing stricter."""

from __future__ import annotations

from typing import Any

import pytest

from policies.conversation import Call, Message
from proxy.errors import RequestError
from proxy.wire.facts import CALL_TOKENS, MESSAGE_TOKENS, NAME_TOKENS, message_facts
from proxy.wire.parts import UNSEEN_AUDIO


def facts(**message: Any) -> Message:
    return message_facts({"role": "user", **message}, "messages[3]", len)


def call(arguments: Any, name: str = "read", call_id: Any = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("sent", "role"),
    [
        ("system", "system"),
        ("developer", "system"),
        ("user", "user"),
        ("assistant", "assistant"),
        ("tool", "tool"),
        ("function", "tool"),
        ("critic", "other"),
        ("", "other"),
    ],
)
def test_roles_fold_to_five(sent: str, role: str) -> None:
    assert facts(role=sent).role == role


@pytest.mark.parametrize(
    ("message", "param"),
    [
        ("hi", "messages[3]"),
        (None, "messages[3]"),
        ({}, "messages[3].role"),
        ({"role": None}, "messages[3].role"),
        ({"role": 1}, "messages[3].role"),
        ({"role": "user", "content": 5}, "messages[3].content"),
        ({"role": "user", "content": {"text": "x"}}, "messages[3].content"),
        ({"role": "assistant", "tool_calls": {}}, "messages[3].tool_calls"),
        ({"role": "assistant", "tool_calls": "x"}, "messages[3].tool_calls"),
        ({"role": "assistant", "tool_calls": [call("{}"), "x"]}, "messages[3].tool_calls[1]"),
    ],
)
def test_a_wrong_type_is_named(message: Any, param: str) -> None:
    with pytest.raises(RequestError) as caught:
        message_facts(message, "messages[3]", len)
    assert caught.value.param == param


@pytest.mark.parametrize(
    ("content", "parts", "tokens"),
    [
        (None, (), 0),
        ("", (0,), 0),
        ("four", (4,), 4),
        ([], (), 0),
        ([{"type": "text", "text": "four"}, {"type": "text", "text": "x"}], (4, 1), 5),
        (
            [{"type": "image_url", "image_url": {"url": "u", "detail": "low"}}, {"type": "text", "text": "x"}],
            (0, 1),
            86,
        ),
        ([{"type": "text", "text": None}], (0,), 5),
        (["bare"], (0,), 4),
        ([{"type": "refusal", "refusal": "no"}], (0,), 2),
        ([{"type": "thinking", "thinking": "long" * 99}, {"type": "text", "text": "x"}], (0, 1), 1),
    ],
)
def test_content_is_counted_by_part(content: Any, parts: tuple[int, ...], tokens: int) -> None:
    found = facts(content=content)
    assert found.parts == parts
    assert found.tokens == MESSAGE_TOKENS + tokens


def test_missing_content_passes() -> None:
    assert facts().parts == ()


def test_a_call_costs_its_name_its_arguments_and_what_stands_around_them() -> None:
    found = facts(role="assistant", tool_calls=[call('{"a":1}'), call("cut off {", call_id=None)])
    assert found.calls == (Call("c1", "read", 7), Call("", "read", 9))
    assert found.tokens == MESSAGE_TOKENS + 2 * (CALL_TOKENS + 4) + 7 + 9


def test_ids_cost_nothing() -> None:
    short, long = call("{}"), call("{}", call_id="x" * 1500)
    assert facts(tool_calls=[short]).tokens == facts(tool_calls=[long]).tokens
    assert facts(role="tool", tool_call_id="x" * 99).tokens == MESSAGE_TOKENS


@pytest.mark.parametrize(
    ("made", "expected", "tokens"),
    [
        (call({"a": 1}), Call("c1", "read", 0), 4 + 7),
        (call(None), Call("c1", "read", 0), 4),
        ({"id": "c1", "type": "custom", "custom": {"name": "sh", "input": "ls"}}, Call("c1", "sh", 0), 4),
    ],
)
def test_arguments_that_are_no_json_text_count_but_cannot_be_replaced(made: Any, expected: Call, tokens: int) -> None:
    found = facts(role="assistant", tool_calls=[made])
    assert found.calls == (expected,)
    assert found.tokens == MESSAGE_TOKENS + CALL_TOKENS + tokens


def test_a_call_without_a_function_is_estimated() -> None:
    assert facts(role="assistant", tool_calls=[{"id": "c9", "odd": "x" * 400}]).tokens > 100


def test_a_legacy_function_call_is_the_last_call() -> None:
    found = facts(role="assistant", function_call={"name": "f", "arguments": "{}"}, tool_calls=[call("{}")])
    assert found.calls == (Call("c1", "read", 2), Call("", "f", 2))


@pytest.mark.parametrize(
    ("message", "result_of"),
    [
        ({"role": "tool", "tool_call_id": "c1"}, "c1"),
        ({"role": "tool"}, ""),
        ({"role": "tool", "tool_call_id": 7}, ""),
        ({"role": "function", "name": "f"}, ""),
        ({"role": "user", "tool_call_id": "c1"}, None),
    ],
)
def test_a_result_says_whose_it_is(message: dict[str, Any], result_of: str | None) -> None:
    assert facts(**message).result_of == result_of


def test_a_name_a_refusal_and_spoken_audio_count() -> None:
    assert facts(name="ann", refusal="no", audio={"id": "a"}).tokens == (
        MESSAGE_TOKENS + NAME_TOKENS + 3 + 2 + UNSEEN_AUDIO
    )
    assert facts(name="ann").name == "ann"


def test_reasoning_counts_for_the_brake_only_and_only_once() -> None:
    thought = "x" * 400
    blocks = [{"type": "thinking", "thinking": thought, "signature": "s" * 40}]
    found = facts(content="a", reasoning_content=thought, thinking_blocks=blocks)
    assert found.tokens == facts(content="a").tokens
    assert found.extra_tokens == 400


def test_cache_markers_and_unknown_fields_count_for_the_brake_only() -> None:
    marked = [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]
    assert facts(content=marked).tokens == facts(content="a").tokens
    assert facts(content=marked).extra_tokens > 0
    assert facts(content="a", vendor="x" * 400).extra_tokens > 100
    assert facts(content="a", vendor=None).extra_tokens == 0
