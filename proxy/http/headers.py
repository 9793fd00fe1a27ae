"""The one function that makes `x-context-*` response headers, all of them ASCII numbers and tokens.

A header value with a line break makes aiohttp drop the connection without an answer, and one that is not
ASCII breaks clients; so whatever is not a plain token is cleaned here, whoever it came from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_UNSAFE = re.compile(r"[^A-Za-z0-9_.:/*+-]+")
_LONGEST = 128


@dataclass(frozen=True, slots=True)
class ResponseContext:
    """What one completion tells of itself. Tokens but for the counts that say so.

    `budget` holds (section, used, share); `degraded` reasons of a closed list (docs/agents.md).
    """

    session: str
    policy: str
    request_id: str
    received: int
    forwarded: int
    compacted_turns: int = 0
    dropped: int = 0
    cleared: int = 0
    spilled_results: int = 0
    spilled: int = 0
    reduced: int = 0
    added: int = 0
    repeated_results: int = 0
    repeated_calls: int = 0
    batches: int = 0
    output_clamped: int | None = None
    summary: str = "none"
    budget: Sequence[tuple[str, int, int]] = ()
    degraded: Sequence[str] = ()


def context_headers(context: ResponseContext) -> dict[str, str]:
    """Every `x-context-*` header of a completion's answer."""
    numbers = {
        "received-tokens": context.received,
        "forwarded-tokens": context.forwarded,
        "compacted-turns": context.compacted_turns,
        "dropped-tokens": context.dropped,
        "cleared-tokens": context.cleared,
        "spilled-results": context.spilled_results,
        "spilled-tokens": context.spilled,
        "reduced-tokens": context.reduced,
        "added-tokens": context.added,
        "repeated-results": context.repeated_results,
        "repeated-calls": context.repeated_calls,
        "batches": context.batches,
    }
    if context.output_clamped is not None:
        numbers["output-clamped"] = context.output_clamped
    texts = {
        "session": _token(context.session),
        "policy": _token(context.policy),
        "request-id": _token(context.request_id),
        "summary": _token(context.summary),
    }
    if context.budget:
        texts["budget"] = ";".join(f"{_token(name)}={used:d}/{share:d}" for name, used, share in context.budget)
    if context.degraded:
        texts["degraded"] = ",".join(_token(reason) for reason in context.degraded)
    return {f"x-context-{name}": value for name, value in _all(texts, numbers).items()}


def _all(texts: dict[str, str], numbers: dict[str, int]) -> dict[str, str]:
    return texts | {name: f"{number:d}" for name, number in numbers.items()}


def _token(text: str) -> str:
    return _UNSAFE.sub("_", text)[:_LONGEST]
