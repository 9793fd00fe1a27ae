"""A provider that speaks another language, through LiteLLM: its signed thinking goes back with the call it led to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.upstream import Route
from tests.retrieval.desk import LOCATOR, QUESTION, Desk, ask, events
from tests.scripted_upstream import Json, Recorded, Reply, ScriptedUpstream, Stream
from tests.upstream.anthropic_events import block, end, message, start

READ = {"locator": LOCATOR, "lines": "7"}


@pytest.fixture
def transport() -> str:
    return "litellm"


@pytest.fixture
def route(model: ScriptedUpstream, transport: str) -> Route:
    name = "claude-sonnet-4-5"
    native = Route("m", f"anthropic/{name}", name, "anthropic", "litellm", model.origin, None)
    return replace(native, window=200_000)


def thinks(text: str, signature: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, "signature": signature}


def first_round(request: Recorded) -> Reply:
    call = {"type": "tool_use", "id": "toolu_1", "name": "context_read", "input": READ}
    if not request.json.get("stream"):
        return Json(message(thinks("I need line 7.", "sig1"), call, stop_reason="tool_use"))
    pieces = [
        {"type": "input_json_delta", "partial_json": each} for each in ('{"locator": "', f'{LOCATOR}", "lines": "7"}}')
    ]
    return Stream(
        [start(), *_thought("I need ", "line 7.", "sig1"), *block(1, {**call, "input": {}}, *pieces), *end("tool_use")]
    )


def second_round(request: Recorded) -> Reply:
    said = "It is line 7."
    if not request.json.get("stream"):
        return Json(message(thinks("There.", "sig2"), {"type": "text", "text": said}))
    text = block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": said})
    return Stream([start(), *_thought("There", ".", "sig2"), *text, *end("end_turn")])


def _thought(first: str, second: str, signature: str) -> list[bytes]:
    deltas = [{"type": "thinking_delta", "thinking": each} for each in (first, second)]
    return block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        *deltas,
        {"type": "signature_delta", "signature": signature},
    )


async def test_thinking_stands_before_the_call_that_it_led_to(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    model.reply(first_round, second_round)
    thinking = {"type": "enabled", "budget_tokens": 1_024}
    got = await ask(client, QUESTION, stream, max_tokens=4_000, thinking=thinking)
    assert got.message["content"] == "It is line 7."
    _, turn, results = model.requests[1].json["messages"]
    assert turn["content"] == [
        thinks("I need line 7.", "sig1"),
        {"type": "tool_use", "id": "toolu_1", "name": "context_read", "input": READ},
    ]
    assert "line 7 of the log" in str(results)


async def test_a_client_that_sends_all_thinking_back_gives_each_round_its_own(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    model.reply(first_round, second_round, second_round)
    thinking = {"type": "enabled", "budget_tokens": 1_024}
    got = await ask(client, QUESTION, stream, max_tokens=4_000, thinking=thinking)
    blocks = [thinks("I need line 7.", "sig1"), thinks("There.", "sig2")]
    history = [*QUESTION, {**got.message, "thinking_blocks": blocks}, {"role": "user", "content": "And?"}]
    await ask(client, history, stream, max_tokens=4_000, thinking=thinking)
    turns = [each["content"] for each in model.requests[2].json["messages"] if each["role"] == "assistant"]
    assert [part for part in turns[0] if part["type"] == "thinking"] == blocks[:1]
    assert [part for part in turns[1] if part["type"] == "thinking"] == blocks[1:]
    if stream:
        deltas = [choice["delta"] for event in events(got.body) for choice in event["choices"]]
        assert [b["signature"] for d in deltas for b in d.get("thinking_blocks", ()) if b.get("signature")] == [
            "sig1",
            "sig2",
        ]
