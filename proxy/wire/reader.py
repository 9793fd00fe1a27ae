"""Facts of a request's messages, each distinct slice decoded and counted once per process.

The cache is keyed by SHA-256 of a slice's bytes and holds facts only, no text, so it may serve all tenants.
One reader serves one encoding. `read` may run in a worker thread: it relies on nothing but single dictionary
operations being atomic, and two threads that meet the same new slice both count it, with the same result.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

from policies.conversation import Conversation, Message
from proxy.wire import meaning
from proxy.wire.cache import Generations
from proxy.wire.envelope import Envelope
from proxy.wire.facts import call_list, message_facts
from proxy.wire.fixed import FixedPart
from proxy.wire.parts import Count, is_text
from proxy.wire.strict import strict_loads, too_deep

_ENTRY_BYTES = 450  # a Message, its digests and its place in the cache
_PART_BYTES = 40
_CALL_BYTES = 250


class Reader:
    """Reads envelopes into conversations; remembers facts within about `capacity_bytes` of memory."""

    def __init__(self, count: Count, capacity_bytes: int = 64_000_000) -> None:
        self._count = count
        self._known: Generations[bytes, Message] = Generations(capacity_bytes)
        self._fixed = FixedPart(count)

    def new_bytes(self, envelope: Envelope) -> int:
        """Bytes of messages not met before: what a `read` would have to decode and count."""
        known = self._known
        return sum(len(raw) for raw, key in zip(envelope.messages, envelope.digests, strict=True) if key not in known)

    def read(self, envelope: Envelope) -> Read:
        """The request's messages as facts; RequestError where a message or another container is malformed."""
        fixed_tokens = self._fixed.tokens(envelope)
        get = self._known.get
        unknown_bytes = 0
        messages: list[Message] = []
        for index, key in enumerate(envelope.digests):
            message = get(key)
            if message is None:
                message = self._meet(envelope, index, key)
                unknown_bytes += len(envelope.messages[index])
            messages.append(message)
        return Read(envelope, messages, fixed_tokens, unknown_bytes)

    def fixed_tokens(self, envelope: Envelope) -> int:
        """Tokens of the request beside its messages: tools, response schema, prediction."""
        return self._fixed.tokens(envelope)

    def _meet(self, envelope: Envelope, index: int, key: bytes) -> Message:
        param = f"messages[{index}]"
        value = strict_loads(bytes(envelope.messages[index]), param)
        try:
            message = message_facts(value, param, self._count)
        except RecursionError:
            raise too_deep(param) from None
        ids = sum(len(call.id) for call in message.calls)
        weight = _ENTRY_BYTES + _PART_BYTES * len(message.parts) + _CALL_BYTES * len(message.calls) + ids
        self._known.put(key, message, weight)
        return message


def unread(envelope: Envelope) -> Read:
    """A request of whose messages nothing is known."""
    return Read(envelope, [], fixed_tokens=0, unknown_bytes=0)


class Read:
    """One request, read. Its conversation's texts are decoded on demand, a message at most once."""

    def __init__(self, envelope: Envelope, messages: list[Message], fixed_tokens: int, unknown_bytes: int) -> None:
        self.envelope = envelope
        self.messages = messages
        self.fixed_tokens = fixed_tokens
        self.unknown_bytes = unknown_bytes
        self.conversation = Conversation(messages, self._text, self._arguments, self._canonical)
        self._decoded: dict[int, dict[str, Any]] = {}

    @property
    def mended(self) -> int:
        """How many lone surrogates were replaced in this body."""
        return self.envelope.mended

    @cached_property
    def chain(self) -> list[bytes]:
        """For each message a digest of the meaning of everything up to it, itself included."""
        sha256 = hashlib.sha256
        links: list[bytes] = []
        link = b""
        for message in self.messages:
            link = sha256(link + message.digest).digest()
            links.append(link)
        return links

    def raw(self, index: int) -> bytes:
        """The bytes of one message."""
        return bytes(self.envelope.messages[index])

    def decoded(self, index: int) -> dict[str, Any]:
        """One message as the client meant it; not to be changed."""
        message = self._decoded.get(index)
        if message is None:
            message = self._decoded[index] = strict_loads(self.raw(index), f"messages[{index}]")
        return message

    def _text(self, index: int, part: int) -> str:
        content = self.decoded(index).get("content")
        if isinstance(content, list):
            return str(content[part]["text"]) if is_text(content[part]) else ""
        return content or ""

    def _arguments(self, index: int, call: int) -> str:
        match call_list(self.decoded(index))[call]:
            case {"function": {"arguments": str(arguments)}}:
                return arguments
            case _:
                return ""

    def _canonical(self, index: int) -> str:
        return meaning.canonical(self.decoded(index)).decode()
