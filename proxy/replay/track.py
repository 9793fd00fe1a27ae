"""One price regime's way through a session: an engine like a proxy's own, and what it sent last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from policies.terms import CachePrices
from proxy.context import Asked, ContextEngine, Edited
from proxy.errors import ContextTooLong
from proxy.replay.behind import Behind
from proxy.replay.ledger import Ledger, RememberingCounter
from proxy.replay.prompt import Prompt, Sent, sent
from proxy.replay.reading_back import read_back
from proxy.replay.recall import NO_USES, InView
from proxy.replay.rows import Played, Round, Row
from proxy.replay.setup import Setup
from proxy.replay.soundness import Soundness
from proxy.replay.summariser import ScriptedSummariser, Summarised
from proxy.retrieval.exchange import Exchange
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
    """Plays the steps of one session in order; with `reads_back` as a model that fetches what it lacks."""

    def __init__(
        self,
        setup: Setup,
        prices: CachePrices,
        counter: RememberingCounter,
        ledger: Ledger,
        *,
        reads_back: bool = False,
    ) -> None:
        self._reads_back = reads_back
        self._exchanges: dict[int, Exchange] = {}
        self._setup = setup
        self._prices = prices
        self._route = setup.route_at(prices)
        self._counter = counter
        self._ledger = ledger
        self._summariser = ScriptedSummariser(counter.count)
        self._engine = self._fresh()
        self._view = InView(ledger.said)
        self._soundness = Soundness(ledger)
        self._behind = Behind()
        self._came_last: Prompt | None = None
        self._sent_last: Prompt | None = None
        self._last: tuple[Asked, bytes] | None = None
        self._rows: list[Row] = []

    def take(self, step: Step) -> None:
        """One more request."""
        asked = Asked(step.envelope, TENANT, self._route, self._setup.policy_name)
        try:
            edited = self._edited(self._engine, asked)
        except ContextTooLong:
            over = self._is_over(step.prompt)
            self._rows.append(Row(Sent(step.prompt.total), None, step.output, over))
            return
        self._last = asked, edited.body
        row = self._row(step, edited)
        self._rows.append(replace(row, rounds=tuple(self._rounds(step, edited))) if self._reads_back else row)

    @property
    def taken(self) -> int:
        """How many requests were taken."""
        return len(self._rows)

    def played(self) -> Played:
        """The rows, and whether a process that starts now gives the bytes of the last request."""
        if self._last is None:
            return Played(self._prices, tuple(self._rows), None)
        asked, body = self._last
        fresh = self._fresh()
        return Played(self._prices, tuple(self._rows), self._edited(fresh, asked).body == body)

    def _edited(self, engine: ContextEngine, asked: Asked) -> Edited:
        return self._summariser.edit(engine, engine.carried_here(asked, self._carried(asked)))

    def _carried(self, asked: Asked) -> dict[int, Exchange]:
        """The exchanges that belong to messages of this request."""
        return {index: kept for index, kept in self._exchanges.items() if index < len(asked.envelope.messages)}

    def _rounds(self, step: Step, edited: Edited) -> Iterator[Round]:
        """The readings that the answer to this request needed; the last prompt of them is what the cache then holds."""
        behind = self._behind.fetched(edited.plan.edits, edited.read.conversation)
        wanted = self._view.wanted(step.evidence | step.reuse, behind)
        if not wanted or edited.offer is None:
            return
        back = read_back(
            edited,
            wanted,
            route=self._route,
            policy=self._setup.policies[self._setup.policy_name],
            count=self._counter.count,
            tenant=TENANT,
            locate=self._engine.locate(TENANT),
        )
        if back is None:
            return
        self._exchanges[len(step.envelope.messages)] = back.exchange
        for read in back.rounds:
            prompt = self._ledger.prompt(slice_body(read.body))
            yield Round(sent(prompt, self._sent_last), read.call_tokens, read.result, read.is_first_page_enough)
            self._sent_last = prompt

    def _fresh(self) -> ContextEngine:
        return ContextEngine(self._setup.policies, {self._route.encoding: self._counter}, SECRET)

    def _row(self, step: Step, edited: Edited) -> Row:
        prompt = step.prompt if edited.body == step.envelope.body else self._ledger.prompt(slice_body(edited.body))
        came_last, sent_last = self._came_last, self._sent_last
        self._came_last, self._sent_last = step.prompt, prompt
        self._view.show(prompt.digests)
        behind = self._behind.fetched(edited.plan.edits, edited.read.conversation)
        return Row(
            untouched=sent(step.prompt, came_last),
            forwarded=sent(prompt, sent_last),
            output=step.output,
            over_window=self._is_over(step.prompt),
            our_tool=prompt.fixed_tokens - step.prompt.fixed_tokens,
            new_batches=edited.decided.new_batches,
            evidence=self._view.recall(step.evidence, behind) if step.evidence else NO_USES,
            reuse=self._view.recall(step.reuse, behind) if step.reuse else NO_USES,
            faults=self._soundness.faults(prompt, step.prompt),
            failed_open="policy" in edited.degraded,
            summaries=self._new_summaries(),
        )

    def _new_summaries(self) -> tuple[Summarised, ...]:
        """What was summarised for this request."""
        new = tuple(self._summariser.calls)
        self._summariser.calls.clear()
        return new

    def _is_over(self, prompt: Prompt) -> bool:
        return self._route.window is not None and prompt.total > self._route.window
