"""The use case: fold a request's history into its budget, keep the originals, and never fail the agent.

An error of ours, in reading, policy or rendering, forwards the original; an artifact that cannot be written leaves
the edit in place, for the conversation itself still holds what it replaced. Both are seen in `degraded` and counted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from policies.budget import Budget, budget_for
from policies.conversation import Conversation
from policies.edits import Edit, Replace
from policies.fold import Reason
from policies.plan import Plan, plan, untouched, watched
from policies.schema import Policy
from policies.summaries import Decision, Segment, Undecided
from policies.terms import Terms, nothing_decided
from proxy.bill import cache_prices
from proxy.errors import ContextTooLong, ForebayError
from proxy.folds import Folds, Walk
from proxy.isolation import Isolated, inherits, isolate, weight
from proxy.locators import locator_maker
from proxy.outline import outline
from proxy.refusal import too_long
from proxy.retrieval.exchange import Exchange
from proxy.retrieval.exchanges import Exchanges
from proxy.retrieval.fingerprint import Place, history_of
from proxy.retrieval.restoring import restored
from proxy.retrieval.tool import DEFINITIONS, NAME, READ_ONLY, offers, tool_patch
from proxy.tokens import Counter
from proxy.upstream import Route
from proxy.wire.envelope import Envelope, slice_body
from proxy.wire.reader import Read, Reader, unread
from proxy.wire.render import render
from proxy.wire.splice import Spliced

log = logging.getLogger(__name__)

Mode = Literal["enforce", "observe", "off"]
Summary = Literal["none", "used", "pending", "failed"]
Degraded = Literal["state", "artifacts", "policy", "summary", "tokenizer", "window", "json"]
TakenOut = tuple[Sequence[Edit], Conversation]
"""Edits, and the messages that they refer to."""

OFF_LOOP_BYTES = 48 * 1024
"""With more new bytes than this, reading and folding go to a thread: about 3 ms of work."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Our tools in a request, by name: what they answer is bounded already, and never spilled again.

    `place` is where the client's next message will stand, `client` the request as it came, `definition_tokens` what the
    tools weigh, `added_tokens` what they and the exchanges that were put back do.
    """

    place: Place
    client: Envelope
    tools: frozenset[str]
    definition_tokens: int
    added_tokens: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the context engine needs to know it. `tools` are those of ours that this tenant may be offered.

    `decided` is what was recorded of segments that were to be summarised; `assumed` says that it is a guess, and
    that nothing that follows from it may be remembered. `lacks_retrieval` says that a fault of ours took our tools
    away. `isolated` is what a sub-agent inherited: where it was left out, `envelope` does not hold it.
    """

    envelope: Envelope
    tenant: str
    route: Route
    policy_name: str
    mode: Mode | None = None
    tools: frozenset[str] = READ_ONLY
    offer: Offer | None = None
    decided: Callable[[str], Decision | None] = nothing_decided
    assumed: bool = False
    lacks_retrieval: bool = False
    isolated: Isolated | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """A plan, and what was new in it: the batches and turns that this very request's checkpoint decided.

    `untouched_before` and `sent_before` are the sizes of the request before, unedited and as it went. `segment` is
    what the next summary is to stand for.
    """

    plan: Plan
    new_batches: tuple[Reason, ...] = ()
    new_turns: int = 0
    untouched_before: int = 0
    sent_before: int = 0
    segment: Segment | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """What goes upstream, the plan behind it, and where it fell short. `read` reaches the originals."""

    body: bytes
    decided: Decided
    mode: Mode
    degraded: tuple[Degraded, ...]
    read: Read
    offer: Offer | None = None
    summary: Summary = "none"
    isolated: Isolated | None = None

    @property
    def plan(self) -> Plan:
        """The plan that the body follows."""
        return self.decided.plan

    @property
    def taken_out(self) -> tuple[TakenOut, ...]:
        """All that was taken out: what a sub-agent inherited, and what the plan edits."""
        own: TakenOut = (self.plan.edits, self.read.conversation)
        isolated = self.isolated
        if isolated is None or not isolated.is_stripped:
            return (own,)
        return (isolated.edits, isolated.read.conversation), own


class ContextEngine:
    """Edits requests. One per process; safe to call concurrently."""

    def __init__(self, policies: Mapping[str, Policy], counters: Mapping[str, Counter], secret: bytes) -> None:
        self.policies = policies
        self._counters = counters
        self._readers = {encoding: Reader(counter.count) for encoding, counter in counters.items()}
        self._secret = secret
        self._folds = Folds()
        self._spliced = Spliced()
        self._definitions = {
            (encoding, name): counter.count(definition.decode())
            for encoding, counter in counters.items()
            for name, definition in DEFINITIONS.items()
        }

    async def carried(self, asked: Asked, exchanges: Exchanges) -> Asked:
        """The request with our tool offered and the exchanges put back that the client never saw; or as it came."""
        try:
            if not (tools := self._offers(asked)):
                return asked
            read = await self.met(asked)
            return self._offering(asked, tools, read, await exchanges.find(asked.tenant, read))
        except ForebayError:
            raise
        except Exception:  # as in edit_here
            log.exception("exchanges could not be put back; going on without retrieval")
            return replace(asked, lacks_retrieval=True)

    def carried_here(self, asked: Asked, found: Mapping[int, Exchange]) -> Asked:
        """The same in this thread, with the exchanges at hand, each by the message it belongs to."""
        if not (tools := self._offers(asked)):
            return asked
        return self._offering(asked, tools, self._readers[asked.route.encoding].read(asked.envelope), found)

    def _offers(self, asked: Asked) -> frozenset[str]:
        policy = self.policies[asked.policy_name]
        is_enforced = self._mode(asked) == "enforce"
        return offers(asked.envelope, asked.route, policy, asked.tools) if is_enforced else frozenset()

    def _offering(self, asked: Asked, tools: frozenset[str], read: Read, found: Mapping[int, Exchange]) -> Asked:
        definitions = sum(self._definitions[asked.route.encoding, name] for name in tools)
        envelope, added = asked.envelope, definitions
        if found:
            envelope = slice_body(restored(asked.envelope, found))
            added += weight(self._readers[asked.route.encoding].read(envelope)) - weight(read)
        place = Place(asked.tenant, history_of(read.messages), len(read.messages))
        return replace(asked, envelope=envelope, offer=Offer(place, asked.envelope, tools, definitions, added))

    async def met(self, asked: Asked) -> Read:
        """The facts of a request's messages; many new ones are read in a thread."""
        if self._readers[asked.route.encoding].new_bytes(asked.envelope) > OFF_LOOP_BYTES:
            return await asyncio.to_thread(self.read, asked)
        return self.read(asked)

    def isolated(self, asked: Asked, read: Read, task: int) -> Asked:
        """The request without what its sub-agent inherited before its task; by `mode: observe` that is only counted.

        Unlike an edit to the budget this needs no window.
        """
        count, locate = self.count(asked.route.encoding), self.locate(asked.tenant)
        if (asked.mode or self.policies[asked.policy_name].mode) == "enforce":
            isolated = isolate(read, task, self._readers[asked.route.encoding], count, locate)
        else:
            isolated = inherits(read, task, count, locate)
        return replace(asked, envelope=isolated.envelope, isolated=isolated)

    def read(self, asked: Asked) -> Read:
        """The facts of a request's messages, known ones at no cost."""
        return self._readers[asked.route.encoding].read(asked.envelope)

    def count(self, encoding: str) -> Callable[[str], int]:
        """What counts tokens under this encoding."""
        return self._counters[encoding].count

    def _mode(self, asked: Asked) -> Mode:
        mode = asked.mode or self.policies[asked.policy_name].mode
        return "observe" if mode == "enforce" and asked.route.window is None else mode

    async def edit(self, asked: Asked) -> Edited:
        """The request within its budget. Raises RequestError for a bad message, ContextTooLong at the brake."""
        if self._readers[asked.route.encoding].new_bytes(asked.envelope) > OFF_LOOP_BYTES:
            return await asyncio.to_thread(self.edit_here, asked)
        return self.edit_here(asked)

    def edit_here(self, asked: Asked) -> Edited:
        """The same in this thread, for callers without an event loop."""
        edited = self._fitted(asked)
        return _with_isolated(edited, asked.isolated) if asked.isolated else edited

    def _fitted(self, asked: Asked) -> Edited:
        if asked.offer is None:
            return self._edited(asked)
        try:
            return self._edited(asked)
        except ContextTooLong:  # it may be what we add that does not fit
            return _bare(self._edited(replace(asked, envelope=asked.offer.client, offer=None)))

    def _edited(self, asked: Asked) -> Edited:
        mode = self._mode(asked)
        read = unread(asked.envelope)
        try:
            read = self._readers[asked.route.encoding].read(asked.envelope)
            decided = self._decide(asked, read, mode)
            body = self._rendered(asked, decided.plan)
        except (ForebayError, Undecided):
            raise
        except Exception:  # a fault of ours must never cost the agent its request
            log.exception("the edit failed; forwarding the original")
            return self._original(asked, read, mode)
        return Edited(body, decided, mode, tuple(self._shortfalls(asked, read, mode)), read, asked.offer)

    def _rendered(self, asked: Asked, plan: Plan) -> bytes:
        model, spliced = asked.route.model, self._spliced
        extra = [tool_patch(asked.envelope, asked.offer.tools)] if asked.offer else []
        return render(
            asked.envelope, model=model, edits=plan.edits, max_output=plan.max_output, spliced=spliced, extra=extra
        )

    def _original(self, asked: Asked, read: Read, mode: Mode) -> Edited:
        """The request as it came; its figures are those that could still be read."""
        body = render(asked.offer.client if asked.offer else asked.envelope, model=asked.route.model)
        decided = Decided(untouched(read.conversation, read.fixed_tokens))
        return Edited(body, decided, mode, (*self._shortfalls(asked, read, mode), "policy"), read)

    def inlined(self, asked: Asked, edited: Edited) -> Edited:
        """The request with the newest results whole again: they were spilled, and what was spilled could not be kept.

        Edits made earlier stand; and where the whole results would not fit, so do these.
        """
        plan = edited.plan
        newest = newest_spills(edited)
        back = sum(edit.before - edit.after for edit in newest)
        report = plan.report
        whole = report.forwarded + back + (asked.envelope.max_output or 0)
        if asked.route.window is None or whole * asked.route.token_factor > asked.route.window:
            return edited
        removed = {**report.removed, "spill": report.removed["spill"] - back}
        told = replace(report, forwarded=report.forwarded + back, removed=removed)
        plan = replace(plan, edits=tuple(edit for edit in plan.edits if edit not in newest), report=told)
        decided = replace(edited.decided, plan=plan)
        degraded: tuple[Degraded, ...] = (*edited.degraded, "artifacts")
        return replace(edited, body=self._rendered(asked, plan), decided=decided, degraded=degraded)

    def _shortfalls(self, asked: Asked, read: Read, mode: Mode) -> Iterator[Degraded]:
        if read.mended:
            yield "json"
        if self._counters[asked.route.encoding].degraded:
            yield "tokenizer"
        if asked.route.window is None and mode == "observe":
            yield "window"
        if asked.lacks_retrieval:
            yield "policy"

    def _decide(self, asked: Asked, read: Read, mode: Mode) -> Decided:
        if mode == "off" or asked.route.window is None:
            return Decided(untouched(read.conversation, read.fixed_tokens))
        definition = asked.offer.definition_tokens if asked.offer else 0
        terms = self._terms(asked, asked.route.window, read.fixed_tokens + definition)
        max_output = asked.envelope.max_output
        if mode == "observe":
            return Decided(watched(read.conversation, terms, max_output))
        decided = self._enforced(asked, read, terms, max_output)
        if decided.plan.refusal is not None:
            raise too_long(decided.plan, terms.budget, max_output)
        return _with_added(decided, asked.offer.added_tokens) if asked.offer else decided

    def _terms(self, asked: Asked, window: int, fixed_tokens: int) -> Terms:
        policy, route = self.policies[asked.policy_name], asked.route
        return Terms(
            policy=policy,
            budget=budget_for(policy, window, route.window_includes_output, route.token_factor),
            prices=cache_prices(route.prices),
            fixed_tokens=fixed_tokens,
            count=self._counters[route.encoding].count,
            locate=self.locate(asked.tenant),
            outline=outline,
            way_back=asked.offer is not None and NAME in asked.offer.tools,
            own_tools=asked.offer.tools if asked.offer else frozenset(),
            decided=asked.decided,
        )

    def locate(self, tenant: str) -> Callable[[str, bytes], str]:
        return locator_maker(self._secret, tenant)

    def _enforced(self, asked: Asked, read: Read, terms: Terms, max_output: int | None) -> Decided:
        """The plan; made for a smaller window where what no section counts (reasoning) would not fit beside it."""
        decided = self._walked(asked, read, terms, max_output, terms.budget)
        extra = sum(message.extra_tokens for message in read.conversation.messages)
        needed = decided.plan.report.forwarded + terms.budget.answer_room(max_output)
        if decided.plan.refusal != "window" or needed - extra > terms.budget.window:
            return decided
        for eighths in range(1, 8):
            squeezed = replace(terms, budget=terms.budget.squeezed(eighths))
            smaller = self._walked(asked, read, squeezed, max_output, terms.budget)
            if smaller.plan.refusal is None:
                report = replace(smaller.plan.report, narrowed=eighths)
                return replace(smaller, plan=replace(smaller.plan, report=report))
        return decided

    def _walked(self, asked: Asked, read: Read, terms: Terms, max_output: int | None, whole: Budget) -> Decided:
        """Walk under `terms`; judge what comes out by the `whole` budget."""
        key: Hashable = (
            asked.tenant, asked.policy_name, asked.route.encoding, terms.budget, terms.prices, terms.fixed_tokens,
            terms.way_back, terms.own_tools, asked.assumed,
        )  # fmt: skip
        walk = self._folds.walk(read.conversation, read.chain, terms, key)
        made = plan(walk.checked, read.conversation, replace(terms, budget=whole), max_output)
        return _decided(made, walk)


def _decided(made: Plan, walk: Walk) -> Decided:
    before, after = walk.walked, walk.checked
    return Decided(
        made,
        new_batches=after.batches[len(before.batches) :],
        new_turns=len(after.view.gone) - len(before.view.gone),
        untouched_before=before.account.untouched_sent,
        sent_before=before.account.sent,
        segment=after.summaries.segment,
    )


def newest_spills(edited: Edited) -> tuple[Replace, ...]:
    """The spills of results that no request before this one has carried."""
    messages = edited.read.messages
    latest = max((index for index, message in enumerate(messages) if message.role == "assistant"), default=0)
    spills = (edit for edit in edited.plan.edits if isinstance(edit, Replace) and edit.by == "spill")
    return tuple(edit for edit in spills if edit.index > latest)


def _bare(edited: Edited) -> Edited:
    """Told that what we would have added is left out."""
    report = replace(edited.plan.report, bare=True)
    return replace(edited, decided=replace(edited.decided, plan=replace(edited.plan, report=report)))


def _with_added(decided: Decided, tokens: int) -> Decided:
    """So many of the tokens that the fold received were added by us."""
    report = decided.plan.report
    told = replace(report, received=report.received - tokens, added=report.added + tokens)
    return replace(decided, plan=replace(decided.plan, report=told))


def _with_isolated(edited: Edited, isolated: Isolated) -> Edited:
    """What was left out of the request before the fold had it, put into the report."""
    before = edited.decided.untouched_before
    if before:  # the request before, untouched, held it too
        before += isolated.taken - isolated.noted
    plan = replace(edited.plan, report=isolated.accounted(edited.plan.report))
    return replace(edited, decided=replace(edited.decided, plan=plan, untouched_before=before), isolated=isolated)
