"""What a provider that speaks Anthropic's language says."""

from __future__ import annotations

from typing import Any

from tests.scripted_upstream import event

USAGE = {"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2}


def message(*content: dict[str, Any], stop_reason: str | None = "end_turn") -> dict[str, Any]:
    """A whole message."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": list(content),
        "stop_reason": stop_reason,
        "usage": USAGE,
    }


def named(name: str, **fields: Any) -> bytes:
    """One named event."""
    return b"event: " + name.encode() + b"\n" + event({"type": name, **fields})


def start() -> bytes:
    """The event that begins a message."""
    return named("message_start", message=message(stop_reason=None))


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any]) -> list[bytes]:
    """A content block: its start, its deltas, its end."""
    return [
        named("content_block_start", index=index, content_block=content),
        *[named("content_block_delta", index=index, delta=delta) for delta in deltas],
        named("content_block_stop", index=index),
    ]


def end(stop_reason: str) -> list[bytes]:
    """The events that end a message."""
    return [
        named("message_delta", delta={"stop_reason": stop_reason}, usage={"output_tokens": 9}),
        named("message_stop"),
    ]
