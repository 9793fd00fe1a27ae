"""By what an assistant message is known again when the client sends it back.

Its text, and of its calls id, name and arguments: what clients leave in place however they rebuild a message. Clients
drop fields, trim texts, parse arguments and write them anew; all that makes no difference here. What a message says
is not unique ("Done."), nor are ids everywhere, so its place counts too: the first user message of its history, and how
many messages stood before it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import msgspec

from policies.conversation import Message
from proxy.wire.parts import is_text

_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Place:
    """Where an assistant message stands: whose, in which history, behind how many messages as the client counts."""

    tenant: str
    history: bytes
    index: int

    def key(self, print_: bytes) -> str:
        """The name of the exchange that belongs to the message with this fingerprint at this place."""
        return blake2b(self.history + self.index.to_bytes(4) + print_, digest_size=_DIGEST_BYTES).hexdigest()


def history_of(messages: Sequence[Message]) -> bytes:
    """What stays the same in a history while it grows: its first user message."""
    return next((message.digest for message in messages if message.role == "user"), b"")


def fingerprint(message: dict[str, Any]) -> bytes | None:
    """A digest of what the message says; None where it says nothing."""
    text = _text(message.get("content")).strip()
    calls = message.get("tool_calls")
    said = [_call(call) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    if not text and not said:
        return None
    return blake2b(json.dumps([text, said]).encode(), digest_size=_DIGEST_BYTES).digest()


def _text(content: Any) -> str:
    """The text, halves of surrogate pairs that came apart joined again."""
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if is_text(part))
    text = content if isinstance(content, str) else ""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _call(call: dict[str, Any]) -> list[str]:
    match call:
        case {"function": {"name": str(name), **function}}:
            return [str(call.get("id")), name, _canonical(function.get("arguments"))]
        case {"custom": {"name": str(name), **custom}}:
            return [str(call.get("id")), name, str(custom.get("input"))]
        case _:
            return [str(call.get("id"))]


def _canonical(arguments: Any) -> str:
    """Arguments whatever their spacing and key order; as they are where they are no JSON."""
    try:
        value = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
        return msgspec.json.encode(value, order="sorted").decode()
    except (ValueError, RecursionError):
        return str(arguments)
