"""Which headers travel: the client's on the way up, the provider's on the way down."""

from __future__ import annotations

import re
from collections.abc import Mapping

from proxy.settings.framing import FRAMING

_CREDENTIALS = frozenset(
    [
        "authorization",
        "api-key",
        "x-api-key",
        "x-goog-api-key",
        "cookie",
        "cookie2",
        "openai-organization",
        "openai-project",
    ]
)
_STOPPED = FRAMING | _CREDENTIALS

# Bytes that are no UTF-8 arrive as lone surrogates, which cannot be sent on.
_UNSENDABLE = re.compile("[\ud800-\udfff]")

_ANSWERED = frozenset(["content-type", "content-disposition", "retry-after", "x-request-id"])


def upward(client: Mapping[str, str]) -> dict[str, str]:
    """The client's headers that go on to the provider, names in lower case."""
    passed = {}
    named = client.get("connection") or client.get("Connection") or ""
    hops = {name.strip().lower() for name in named.split(",")}
    for name, value in client.items():
        lower = name.lower()
        stopped = lower in _STOPPED or lower in hops or lower.startswith("x-context-")
        if not stopped and not _UNSENDABLE.search(value):
            passed[lower] = value
    return passed


def downward(provider: Mapping[str, str]) -> dict[str, str]:
    """The provider's headers that may reach the client; those with unprintable values stay behind."""
    return {
        name.lower(): value
        for name, value in provider.items()
        if (name.lower() in _ANSWERED or name.lower().startswith("x-ratelimit-"))
        and value.isascii()
        and value.isprintable()
    }
