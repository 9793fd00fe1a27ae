"""The fixed part of a prompt: what the model reads beside the messages, request after request.

Tool and function definitions and a response schema are counted as one line of JSON (providers rewrite them in a
shorter form of their own, so this is the high side), a prediction as the text it is.
"""

from __future__ import annotations

import hashlib
from typing import Any

from proxy.wire import meaning
from proxy.wire.cache import Generations
from proxy.wire.envelope import Envelope
from proxy.wire.parts import Count, part_tokens
from proxy.wire.strict import strict_loads, too_deep

REPLY_TOKENS = 3  # every answer is primed with them (OpenAI's cookbook)
_DEFINITIONS = frozenset({"tools", "functions", "response_format"})
_CONTAINERS = (b"{", b"[")
_CAPACITY = 10_000


class FixedPart:
    """Checks and counts the top-level containers of bodies, each distinct one once."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._known: Generations[bytes, int] = Generations(_CAPACITY)

    def tokens(self, envelope: Envelope) -> int:
        """The fixed part of this request; RequestError where a container is not sound JSON."""
        return REPLY_TOKENS + sum(
            self._field(key, envelope.raw(key))
            for key, (start, _) in envelope.spans.items()
            if key != "messages" and envelope.body[start : start + 1] in _CONTAINERS
        )

    def _field(self, key: str, raw: bytes) -> int:
        digest = hashlib.sha256(key.encode() + b"\0" + raw).digest()
        known = self._known.get(digest)
        if known is None:
            known = self._weigh(key, strict_loads(raw, key))
            self._known.put(digest, known, 1)
        return known

    def _weigh(self, key: str, value: Any) -> int:
        if key in _DEFINITIONS:
            try:
                return self._count(meaning.compact(value)) if value else 0
            except RecursionError:
                raise too_deep(key) from None
        if key == "prediction":
            return _prediction(value, self._count)
        return 0


def _prediction(value: Any, count: Count) -> int:
    content = value.get("content") if isinstance(value, dict) else None
    parts = content if isinstance(content, list) else [content or ""]
    return sum(part_tokens(part, count) for part in parts)
