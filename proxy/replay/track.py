"""One price regime's way through a session: an engine like a proxy's own, and what it sent last."""

from __future__ import annotations

from dataclasses import dataclass

from policies.terms import CachePrices
from proxy.context import Asked, ContextEngine, Edited
from proxy.errors import ContextTooLong
from proxy.replay.behind import Behind
from proxy.replay.ledger import Ledger, RememberingCounter
from proxy.replay.prompt import Prompt, Sent, sent
from proxy.replay.recall import NO_USES, InView
from proxy.replay.rows import Played, Row
from proxy.replay.setup import Setup
from proxy.replay.soundness import Soundness
from proxy.wire.envelope import Envelope, slice_body

SECRET = b"replay: locators need a key, and the same one every time"
TENANT = "replay"


@dataclass(frozen=True, slots=True)
class Step:
    """One request of the agent: its body, what it weighs, what the answer to it weighs and relies on."""

    envelope: Envelope
    prompt: Prompt
    output: int
    evidence: frozenset[str]
    reuse: frozenset[str]


class Track:
    """Plays the steps of one session in order."""

    def __init__(self, setup: Setup, prices: CachePrices, counter: RememberingCounter, ledger: Ledger) -> None:
        self._setup = setup
        self._prices = prices
        self._route = setup.route_at(prices)
        self._counter = counter
        self._ledger = ledger
        self._engine = self._fresh()
        self._view = InView(ledger.said)
        self._soundness = Soundness(ledger)
        self._behind = Behind()
        self._before: tuple[Prompt, Prompt] | None = None
        self._last: tuple[Asked, bytes] | None = None
        self._rows: list[Row] = []

    def take(self, step: Step) -> None:
        """One more request."""
        asked = Asked(step.envelope, TENANT, self._route, self._setup.policy_name)
        try:
            edited = self._engine.edit_here(asked)
        except ContextTooLong:
            over = self._is_over(step.prompt)
            self._rows.append(Row(Sent(step.prompt.total), None, step.output, over))
            return
        self._last = asked, edited.body
        self._rows.append(self._row(step, edited))

    @property
    def taken(self) -> int:
        """How many requests were taken."""
        return len(self._rows)

    def played(self) -> Played:
        """The rows, and whether a process that starts now gives the bytes of the last request."""
        if self._last is None:
            return Played(self._prices, tuple(self._rows), None)
        asked, body = self._last
        return Played(self._prices, tuple(self._rows), self._fresh().edit_here(asked).body == body)

    def _fresh(self) -> ContextEngine:
        return ContextEngine(self._setup.policies, {self._route.encoding: self._counter}, SECRET)

    def _row(self, step: Step, edited: Edited) -> Row:
        prompt = step.prompt if edited.body == step.envelope.body else self._ledger.prompt(slice_body(edited.body))
        untouched_before, forwarded_before = self._before or (None, None)
        self._before = step.prompt, prompt
        self._view.show(prompt.digests)
        behind = self._behind.fetched(edited.plan.edits, edited.read.conversation)
        return Row(
            untouched=sent(step.prompt, untouched_before),
            forwarded=sent(prompt, forwarded_before),
            output=step.output,
            over_window=self._is_over(step.prompt),
            our_tool=prompt.fixed_tokens - step.prompt.fixed_tokens,
            new_batches=edited.decided.new_batches,
            evidence=self._view.recall(step.evidence, behind) if step.evidence else NO_USES,
            reuse=self._view.recall(step.reuse, behind) if step.reuse else NO_USES,
            faults=self._soundness.faults(prompt, step.prompt),
            failed_open="policy" in edited.degraded,
        )

    def _is_over(self, prompt: Prompt) -> bool:
        return self._route.window is not None and prompt.total > self._route.window
