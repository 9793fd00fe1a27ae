"""A request body, sliced: where each top-level value stands, and one raw slice per message.

Nothing is decoded here that does not decide the path of the request. What is inside messages and other
containers is checked by the reader, once for each slice that it has not met before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import msgspec

from proxy.errors import RequestError
from proxy.wire.spans import BadKeys, Span, array_slices, object_spans
from proxy.wire.strict import mend, strict_loads, too_deep

OUTPUT_LIMITS = ("max_completion_tokens", "max_tokens")
MOST_OUTPUT = 1_000_000_000
"""No model answers more tokens than this: a larger number is a mistake, and would be one in our sums."""


class Envelope:
    """The outside of one body. `body` is what the client sent, but for `mended` lone surrogates.

    `spans` holds the byte span of each top-level value, `messages` a raw slice per message (`bytes(raw)` copies it).
    """

    def __init__(self, body: bytes, spans: dict[str, Span], mended: int) -> None:
        self.body = body
        self.spans = spans
        self.mended = mended
        self.model = self._model()
        self.stream = self._stream()
        self.messages: Sequence[msgspec.Raw] = self._messages()
        self._values: dict[str, Any] = {}

    @cached_property
    def digests(self) -> list[bytes]:
        """The digest of each message slice. SHA-256: with the CPU's instructions as fast as any, 0.7 ms per MB."""
        sha256 = hashlib.sha256
        return [sha256(raw).digest() for raw in self.messages]

    def raw(self, key: str) -> bytes:
        """The bytes of one top-level value; empty where the body has none."""
        start, end = self.spans.get(key, (0, 0))
        return self.body[start:end]

    def value(self, key: str, default: Any = None) -> Any:
        """One top-level value, decoded when first asked for; RequestError where it is not sound JSON."""
        if key not in self.spans:
            return default
        if key not in self._values:
            self._values[key] = strict_loads(self.raw(key), key)
        return self._values[key]

    @cached_property
    def max_output(self) -> int | None:
        """The client's own maximum of output tokens, by whichever name it sent; RequestError if it is no number."""
        sent = [limit for key in OUTPUT_LIMITS if (limit := self._limit(key)) is not None]
        return sent[0] if sent else None

    @cached_property
    def has_tools(self) -> bool:
        """Whether the request offers tools; an empty list offers none."""
        raw = self.raw("tools")
        return raw[:1] == b"[" and raw[1:-1].strip() != b""

    def _limit(self, key: str) -> int | None:
        value = self.value(key)
        if value is None or (type(value) is int and 0 <= value <= MOST_OUTPUT):
            return value
        raise RequestError(f"{key} must be a whole number up to {MOST_OUTPUT}, not {self._shown(key)}", param=key)

    def _model(self) -> str:
        raw = self.raw("model")
        if not raw:
            raise RequestError("model is missing; name the model to ask", param="model")
        model = strict_loads(raw, "model") if raw[:1] == b'"' else ""
        if not model:
            raise RequestError(f"model must be a name, not {self._shown('model')}", param="model")
        return str(model)

    def _stream(self) -> bool:
        raw = self.raw("stream")
        if raw not in (b"", b"null", b"true", b"false"):
            raise RequestError(f"stream must be true or false, not {self._shown('stream')}", param="stream")
        return raw == b"true"

    def _messages(self) -> list[msgspec.Raw]:
        start, _ = span = self.spans.get("messages", (0, 0))
        if span == (0, 0):
            raise RequestError("messages is missing; send a list of messages", param="messages")
        if self.body[start : start + 1] != b"[":
            raise RequestError(f"messages must be a list, not {self._shown('messages')}", param="messages")
        messages = array_slices(self.body, span)
        if not messages:
            raise RequestError("messages is empty; send at least one message", param="messages")
        return messages

    def _shown(self, key: str) -> str:
        return self.raw(key)[:40].decode("utf-8", "replace")


def slice_body(body: bytes) -> Envelope:
    """The envelope of a chat completion's body; RequestError, naming the field, where it cannot be one."""
    mended = 0
    try:
        spans = _spans(body)
    except msgspec.DecodeError as error:
        # msgspec refuses lone surrogates; only then is it worth looking for them.
        body, mended = mend(body)
        if not mended:
            raise _not_json(error) from None
        try:
            spans = _spans(body)
        except msgspec.DecodeError as other:
            raise _not_json(other) from None
    _check_utf8(body, spans)
    return Envelope(body, spans, mended)


def _spans(body: bytes) -> dict[str, Span]:
    try:
        return object_spans(body)
    except BadKeys as error:
        raise RequestError(f"the body is not usable: {error}") from None
    except RecursionError:
        raise too_deep(None) from None


def _check_utf8(body: bytes, spans: dict[str, Span]) -> None:
    """All but the messages: those the reader decodes, each once."""
    start, end = spans.get("messages", (0, 0))
    try:
        body[:start].decode()
        body[end:].decode()
    except UnicodeDecodeError as error:
        raise RequestError(f"the body is not UTF-8: {error.reason}", param=None) from None


def _not_json(error: msgspec.DecodeError) -> RequestError:
    if isinstance(error, msgspec.ValidationError):
        return RequestError(f"the body must be a JSON object: {error}")
    return RequestError(f"the body is not valid JSON in UTF-8: {error}")
