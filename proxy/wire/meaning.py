"""What a message means, whatever its serialisation: one line of JSON, and a digest of it.

Clients re-serialise what they resend. Left out are null fields, key order, cache markers, reasoning and its signatures,
and the difference between a text and a list of one text part. Everything else belongs to the
meaning: ids, unknown fields, the very characters of an argument string.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

DIGEST_BYTES = 16

CACHE_FIELDS = frozenset({"cache_control", "cache_point", "cachePoint"})
# Gemini's and LiteLLM's containers are here because they carry thought signatures and clients strip them alike.
REASONING_FIELDS = frozenset(
    {
        "encrypted_content",
        "extra_content",
        "provider_specific_fields",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "redacted_thinking",
        "signature",
        "thinking",
        "thinking_blocks",
        "thought_signature",
        "thought_signatures",
    }
)
REASONING_PARTS = frozenset({"reasoning", "redacted_thinking", "thinking"})
_LEFT_OUT = CACHE_FIELDS | REASONING_FIELDS

_encode = msgspec.json.Encoder(order="sorted").encode


def canonical(message: dict[str, Any]) -> bytes:
    """The meaning of a message as one line of JSON, the same for every serialisation of it."""
    content = message.get("content")
    if isinstance(content, list):
        message = {**message, "content": _content(content)}
    return _encode(clean(message))


def digest(meaning: bytes) -> bytes:
    """The digest of a canonical message."""
    return hashlib.blake2b(meaning, digest_size=DIGEST_BYTES).digest()


def compact(value: Any) -> str:
    """Any value as one line of JSON, cleaned as a message is."""
    return _encode(clean(value)).decode()


def clean(value: Any) -> Any:
    """`value` without null fields, cache markers and reasoning, at every depth."""
    match value:
        case dict():
            return {k: clean(v) for k, v in value.items() if v is not None and k not in _LEFT_OUT}
        case list():
            return [clean(item) for item in value]
        case _:
            return value


def is_reasoning_part(part: Any) -> bool:
    """Whether a content part is the model's own thinking rather than what it said."""
    return isinstance(part, dict) and part.get("type") in REASONING_PARTS


def _content(parts: list[Any]) -> Any:
    """A list of parts as its meaning has it: a lone text part is a text, nothing but thinking is nothing."""
    said = [clean(part) for part in parts if not is_reasoning_part(part)]
    if parts and not said:
        return None
    match said:
        case [{"type": "text", "text": str(text), **rest}] if not rest:
            return text
        case _:
            return said
