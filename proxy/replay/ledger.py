"""What is known of each message that was sent in a session, untouched or edited: looked at once, by its bytes.

Almost every message of a request stood in the one before, so a session costs the work of its distinct messages.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from proxy.replay.evidence import items
from proxy.replay.prompt import Prompt
from proxy.replay.said import Said, said
from proxy.tokens import Counter, EncodingName
from proxy.wire.envelope import Envelope
from proxy.wire.facts import message_facts
from proxy.wire.fixed import FixedPart
from proxy.wire.strict import strict_loads

_FIXED_FIELDS = ("tools", "functions", "response_format")


class RememberingCounter(Counter):
    """A counter that never counts a text twice: a replay meets each one under several prices and after a restart."""

    def __init__(self, encoding: EncodingName) -> None:
        super().__init__(encoding)
        self._remembered: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Tokens of `text`, on its own."""
        known = self._remembered.get(text)
        if known is None:
            known = self._remembered[text] = super().count(text)
        return known


@dataclass(frozen=True, slots=True)
class Known:
    """One message: what it holds, what it weighs (reasoning and unknown fields too), the evidence in it."""

    value: dict[str, Any]
    tokens: int
    said: Said


class Ledger:
    """The messages of one session. `known` answers for every digest of a prompt that was read."""

    def __init__(self, counter: Counter) -> None:
        self._count = counter.count
        self._fixed = FixedPart(counter.count)
        self._known: dict[bytes, Known] = {}

    def known(self, digest: bytes) -> Known:
        """What is known of a message."""
        return self._known[digest]

    def said(self, digest: bytes) -> Said:
        """The evidence in a message."""
        return self._known[digest].said

    def values(self, prompt: Prompt) -> list[dict[str, Any]]:
        """The messages of a prompt; not to be changed."""
        return [self._known[digest].value for digest in prompt.digests]

    def prompt(self, envelope: Envelope) -> Prompt:
        """Read a body. Raises RequestError where a message is none."""
        for index, digest in enumerate(envelope.digests):
            if digest not in self._known:
                self._known[digest] = self._meet(bytes(envelope.messages[index]), f"messages[{index}]")
        fixed = hashlib.sha256(b"\0".join(envelope.raw(key) for key in _FIXED_FIELDS)).digest()
        tokens = [self._known[digest].tokens for digest in envelope.digests]
        return Prompt(fixed, self._fixed.tokens(envelope), envelope.digests, tokens)

    def _meet(self, raw: bytes, param: str) -> Known:
        value = strict_loads(raw, param)
        facts = message_facts(value, param, self._count)
        return Known(value, facts.tokens + facts.extra_tokens, said(value, facts.role))


def definition_items(envelope: Envelope) -> frozenset[str]:
    """The items that tool and response definitions tell the model."""
    return items("\n".join(envelope.raw(key).decode() for key in _FIXED_FIELDS))
