"""A scripted summariser for replays: no model, but text of the right size at the right price.

It shows what summaries cost and when they break the cache, and not how good a model's would be: it keeps the two ends
of every text of the segment. It reads at a fifth of the price of the agent's model, as a small model would.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from policies.history.transcript import transcript
from policies.summaries import Decision, Undecided
from proxy.context import Asked, ContextEngine, Edited

PRICE = 0.2
"""What a token of the summariser costs, in units of one of the agent's model."""
SHARE = 0.2
"""How long a summary is beside its segment, up to the policy's `summarise.max_tokens`."""


@dataclass(frozen=True, slots=True)
class Summarised:
    """One call of the summariser, in its own tokens."""

    input: int
    output: int


class ScriptedSummariser:
    """Decides every segment at once; what it decided stands, as a record would."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._decided: dict[str, Decision] = {}
        self.calls: list[Summarised] = []

    def edit(self, engine: ContextEngine, asked: Asked) -> Edited:
        """What the proxy would do, its summariser always in time."""
        asked = replace(asked, decided=self._decided.get)
        while True:
            try:
                return engine.edit_here(asked)
            except Undecided as stop:
                max_tokens = engine.policies[asked.policy_name].summarise.max_tokens
                self._decided[stop.segment.key] = self._written(engine, asked, stop, max_tokens)

    def _written(self, engine: ContextEngine, asked: Asked, stop: Undecided, max_tokens: int) -> Decision:
        segment, conversation = stop.segment, engine.read(asked).conversation
        room = min(max_tokens, int(SHARE * segment.tokens))
        own = transcript(conversation, stop.changes, segment.messages, room, self._count)
        text = f"{segment.previous}\n{own}" if segment.previous else own
        tokens = self._count(text)
        if tokens > max_tokens:
            text = text[len(text) * (tokens - max_tokens) // tokens :]  # the newest part of it
        self.calls.append(Summarised(segment.tokens + self._count(segment.previous), self._count(text)))
        return Decision(text)
