"""LiteLLM's answers in OpenAI's shape, as bytes."""

from __future__ import annotations

from typing import Any

import msgspec

DONE = b"data: [DONE]\n\n"


def completion(answer: dict[str, Any], native: bool) -> bytes:
    """A whole answer. LiteLLM puts a provider's own message fields into a box; a native one's are taken out of it."""
    for choice in answer.get("choices", []):
        _drop_empty_box(choice)
        message = choice.get("message", {})
        message.setdefault("content", None)
        if native:
            for name, value in message.pop("provider_specific_fields", {}).items():
                message.setdefault(name, value)
        _drop_empty_box(message)
    return msgspec.json.encode(answer)


def event(chunk: dict[str, Any], keep_usage: bool) -> bytes:
    """One chunk as an event; empty where it only held a usage that nobody asked for."""
    choices = chunk.get("choices", [])
    if not keep_usage and chunk.pop("usage", None) is not None and not choices:
        return b""
    for choice in choices:
        choice.setdefault("finish_reason", None)
        choice.setdefault("delta", {})
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"


def _drop_empty_box(holder: dict[str, Any]) -> None:
    if not holder.get("provider_specific_fields", True):
        del holder["provider_specific_fields"]
