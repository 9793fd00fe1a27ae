"""A later round that the provider refused, in the middle of a stream that the client already reads."""

from __future__ import annotations

import json
from typing import Any

from proxy.errors import UpstreamError


class RoundRefused(UpstreamError):
    """Answered with the provider's own error where it gave one."""

    def __init__(self, status: int, said: bytes) -> None:
        kind = "status_429" if status == 429 else f"status_{status // 100}xx"
        super().__init__(f"the provider answered a further round with status {status}", kind=kind)
        self._error = _error(said)

    def body(self) -> dict[str, object]:
        """The provider's error object, else one in OpenAI's shape."""
        return {"error": self._error} if self._error else super().body()


def _error(said: bytes) -> dict[str, Any] | None:
    try:
        error = json.loads(said).get("error")
    except (ValueError, AttributeError, RecursionError):
        return None
    return error if isinstance(error, dict) else None
