"""What a provider says it counted, in one shape.

OpenAI's `prompt_tokens` holds the cached tokens, Anthropic's `input_tokens` leaves them out, DeepSeek names
hits and misses apart. Here `input_tokens` is always the whole input.
"""

from __future__ import annotations

from typing import Any

import msgspec

from proxy.upstream import Usage
from proxy.upstream.sse import events


class _HasUsage(msgspec.Struct):
    usage: dict[str, Any] | None = None


_decoder = msgspec.json.Decoder(_HasUsage)


def usage_of(body: bytes, event_stream: bool) -> Usage | None:
    """The usage in a JSON body, or in the last of an event stream's events that state one; `body` may be a tail."""
    if not event_stream:
        return _decode(body)
    stated = (_decode(event) for event in reversed(events(body)) if b'"usage"' in event)
    return next((usage for usage in stated if usage is not None), None)


def normalise(fields: dict[str, Any]) -> Usage | None:
    """One `usage` object in our own words; None where it counts nothing."""
    if "prompt_tokens" in fields or "completion_tokens" in fields:
        return _openai(fields)
    if "input_tokens" in fields or "output_tokens" in fields:
        return _anthropic(fields)
    return None


def _openai(fields: dict[str, Any]) -> Usage:
    details = fields.get("prompt_tokens_details")
    read = _count(details, "cached_tokens") or _count(fields, "prompt_cache_hit_tokens")
    return Usage(
        input_tokens=_count(fields, "prompt_tokens"),
        output_tokens=_count(fields, "completion_tokens"),
        cache_read_tokens=read or _count(fields, "cache_read_input_tokens"),
        cache_write_tokens=_count(fields, "cache_creation_input_tokens") or _count(details, "cache_creation_tokens"),
    )


def _anthropic(fields: dict[str, Any]) -> Usage:
    details = fields.get("input_tokens_details")
    if isinstance(details, dict):  # OpenAI's newer endpoints: the same names, the cached tokens inside
        read, write, apart = _count(details, "cached_tokens"), 0, 0
    else:
        read, write = _count(fields, "cache_read_input_tokens"), _count(fields, "cache_creation_input_tokens")
        apart = read + write
    return Usage(_count(fields, "input_tokens") + apart, _count(fields, "output_tokens"), read, write)


def _count(fields: object, key: str) -> int:
    value = fields.get(key) if isinstance(fields, dict) else None
    return int(value) if isinstance(value, int | float) and value > 0 else 0


def _decode(data: bytes) -> Usage | None:
    try:
        fields = _decoder.decode(data).usage
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return normalise(fields) if fields else None
