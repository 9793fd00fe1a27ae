"""A provider's prompt cache, simulated: who resends an unchanged prefix reads it back at a tenth of the price.

The rule is OpenAI's: the longest prefix seen before counts, from 1,024 tokens on, in steps of 128. Prefixes
are compared message by message (tools first, as providers do), so a message whose end changed counts as new
from its start: the simulation never reports more cache hits than a provider could give.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MESSAGE_OVERHEAD = 3  # tokens that a chat template spends on the border of each message


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a prompt that is cached whole or not at all."""

    digest: bytes
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one request weighs, and how much of it the cache held already."""

    tokens: int
    cached: int


class PromptCache:
    """Remembers every prefix of every prompt it has served; never forgets, as a session is over in minutes."""

    def __init__(self, minimum: int = 1024, step: int = 128) -> None:
        self._minimum = minimum
        self._step = step
        self._seen: set[bytes] = set()

    def serve(self, model: str, segments: Iterable[Segment]) -> Prompt:
        """Look a prompt up, then keep it. Models share nothing."""
        chain = hashlib.blake2b(model.encode(), digest_size=16).digest()
        tokens = held = 0
        for segment in segments:
            chain = hashlib.blake2b(chain + segment.digest, digest_size=16).digest()
            tokens += segment.tokens
            if chain in self._seen:
                held = tokens
            self._seen.add(chain)
        cached = held - held % self._step if held >= self._minimum else 0
        return Prompt(tokens, cached)


class PromptCounter:
    """Counts messages with a tokenizer, each distinct one once."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._known: dict[bytes, Segment] = {}

    def segments(self, body: Mapping[str, Any]) -> list[Segment]:
        """The prompt of a request body: its tools as one segment, then one for each message."""
        tools = body.get("tools")
        pieces = [self._segment(tools, _dense(tools), 0)] if tools else []
        return pieces + [self._segment(m, prompt_text(m), MESSAGE_OVERHEAD) for m in body["messages"]]

    def text(self, text: str) -> int:
        """Tokens of a text by itself."""
        return self._count(text)

    def _segment(self, raw: Any, text: str, overhead: int) -> Segment:
        digest = hashlib.blake2b(_dense(raw).encode(), digest_size=16).digest()
        if digest not in self._known:
            self._known[digest] = Segment(digest, self._count(text) + overhead)
        return self._known[digest]


def prompt_text(message: Mapping[str, Any]) -> str:
    """What of a message becomes prompt text: role, texts, calls. Images and audio weigh nothing here."""
    content = message.get("content")
    texts = [content] if isinstance(content, str) else [part.get("text", "") for part in content or ()]
    calls = [call.get("function", {}) for call in message.get("tool_calls") or ()]
    named = [f"{call.get('name', '')}{call.get('arguments', '')}" for call in calls]
    return "\n".join([message["role"], *texts, *named])


def _dense(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
