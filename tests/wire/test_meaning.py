"""meaning: what changes a digest, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.wire.meaning import canonical, digest

TEXT = {"role": "user", "content": "hi"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"b": 1, "a": 2}'}}
TOOLS = {"role": "assistant", "content": None, "tool_calls": [CALL]}


@pytest.mark.parametrize(
    ("message", "same"),
    [
        (TEXT, {"content": "hi", "role": "user"}),
        (TEXT, {**TEXT, "name": None, "refusal": None}),
        (TEXT, {"role": "user", "content": [{"type": "text", "text": "hi"}]}),
        (TEXT, {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]}),
        (TEXT, {**TEXT, "cache_control": {"type": "ephemeral"}}),
        (TEXT, {"role": "user", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hi"}]}),
        (TEXT, {**TEXT, "reasoning_content": "hm", "thinking_blocks": [{"signature": "x"}], "reasoning_details": []}),
        (TOOLS, {"role": "assistant", "tool_calls": [CALL]}),
        (TOOLS, {**TOOLS, "tool_calls": [{**CALL, "index": None, "extra_content": {"google": {"a": 1}}}]}),
        (TOOLS, {**TOOLS, "content": [{"type": "redacted_thinking", "data": "x"}]}),
    ],
)
def test_serialisation_does_not_matter(message: dict[str, Any], same: dict[str, Any]) -> None:
    assert canonical(message) == canonical(same)
    assert digest(canonical(message)) == digest(canonical(same))


@pytest.mark.parametrize(
    ("message", "other"),
    [
        (TEXT, {**TEXT, "content": "hi "}),
        (TEXT, {**TEXT, "role": "assistant"}),
        (TEXT, {**TEXT, "name": "ann"}),
        (TEXT, {**TEXT, "vendor_flag": 1}),
        (TEXT, {"role": "user", "content": [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}]}),
        (TEXT, {"role": "user", "content": [{"type": "text", "text": "hi", "lang": "en"}]}),
        ({"role": "user", "content": ""}, {"role": "user", "content": None}),
        (TOOLS, {**TOOLS, "tool_calls": [{**CALL, "id": "c2"}]}),
        (TOOLS, {**TOOLS, "tool_calls": [{**CALL, "function": {"name": "f", "arguments": '{"a": 2, "b": 1}'}}]}),
        ({"role": "system", "content": "x"}, {"role": "developer", "content": "x"}),
    ],
)
def test_content_matters(message: dict[str, Any], other: dict[str, Any]) -> None:
    assert canonical(message) != canonical(other)


def test_it_is_one_line_with_sorted_keys() -> None:
    assert canonical({"role": "user", "content": "a\nb \u00e9"}) == '{"content":"a\\nb \u00e9","role":"user"}'.encode()
