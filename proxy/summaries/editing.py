"""Editing with summaries: what a fold needs decided is looked up, waited for, or given up, and the fold goes on.

The fold asks for the fate of one segment at a time. What was decided is remembered and recorded by the `Desk`; what
was decided at an earlier request and cannot be found any more was lost, and its turns are dropped: one reported batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from policies.edits import Edit
from policies.history.transcript import transcript
from policies.summaries import Decision, Segment, Undecided
from proxy.context import Asked, ContextEngine, Edited, Summary
from proxy.summaries.desk import Desk
from proxy.summaries.work import Work
from proxy.upstream import Route
from proxy.wire.reader import Read

DROPPED = Decision(None)


@dataclass(frozen=True, slots=True)
class Editor:
    """Edits requests; `route_of` leads to a summariser by its configured name."""

    engine: ContextEngine
    desk: Desk
    route_of: Callable[[str], Route]

    async def edit(self, asked: Asked) -> Edited:
        """The request within its budget. Raises what `ContextEngine.edit` raises."""
        if not self._summarises(asked):
            return await self.engine.edit(asked)
        decided: dict[str, Decision] = {}
        asked = replace(asked, decided=partial(self._decided, asked.tenant, decided))
        is_given_up = False
        while True:
            try:
                edited = await self.engine.edit(asked)
            except Undecided as stop:
                found = await self.desk.look_up(asked.tenant, stop.segment.key)
                decision = decided[stop.segment.key] = found or await self._decide(asked, stop)
                is_given_up |= found is None and decision.text is None
            else:
                return self._seen_ahead(asked, edited, is_given_up=is_given_up)

    async def foresee(self, asked: Asked) -> Edited:
        """What `edit` would do now if it waited for nobody: calls nobody and records nothing."""
        if not self._summarises(asked):
            return await self.engine.edit(asked)
        decided: dict[str, Decision] = {}
        asked = replace(asked, decided=partial(self._decided, asked.tenant, decided), assumed=True)
        while True:
            try:
                return await self.engine.edit(asked)
            except Undecided as stop:
                found = await self.desk.look_up(asked.tenant, stop.segment.key)
                decided[stop.segment.key] = found or DROPPED

    def _summarises(self, asked: Asked) -> bool:
        return self.engine.policies[asked.policy_name].history.then == "summarise"

    def _decided(self, tenant: str, own: dict[str, Decision], key: str) -> Decision | None:
        return own.get(key) or self.desk.known(tenant, key)

    async def _decide(self, asked: Asked, stop: Undecided) -> Decision:
        read = self.engine.read(asked)
        if stop.messages < len(read.messages):
            return await self.desk.give_up(asked.tenant, stop.segment.key)
        await self._must_fit(asked)
        return await self.desk.settle(self._work(asked, read, stop.segment, stop.changes))

    async def _must_fit(self, asked: Asked) -> None:
        """Raises ContextTooLong where even dropping everything would not do: nobody is asked for a summary then."""
        await self.engine.edit(replace(asked, decided=lambda _key: DROPPED, assumed=True))

    def _seen_ahead(self, asked: Asked, edited: Edited, *, is_given_up: bool) -> Edited:
        """Start on what comes next, and say how summaries stand."""
        segment = edited.decided.segment
        if segment is not None and edited.mode == "enforce":
            self.desk.start(self._work(asked, edited.read, segment, edited.plan.edits))
        summary = self._standing(asked, edited, segment, is_given_up)
        if not is_given_up:
            return replace(edited, summary=summary)
        return replace(edited, summary=summary, degraded=(*edited.degraded, "summary"))

    def _standing(self, asked: Asked, edited: Edited, segment: Segment | None, is_given_up: bool) -> Summary:
        if is_given_up:
            return "failed"
        if segment is not None and self.desk.known(asked.tenant, segment.key) is None:
            status = self.desk.status(asked.tenant, segment.key)
            if status != "none":
                return status
        return "used" if "summary" in edited.plan.report.removed else "none"

    def _work(self, asked: Asked, read: Read, segment: Segment, edits: tuple[Edit, ...]) -> Work:
        how = self.engine.policies[asked.policy_name].summarise
        route = self.route_of(how.model) if how.model else asked.route
        count = self.engine.count(route.encoding)
        return Work(
            tenant=asked.tenant,
            key=segment.key,
            route=route,
            settings=how,
            previous=segment.previous,
            transcript=lambda most: transcript(read.conversation, edits, segment.messages, most, count),
            segment_tokens=segment.tokens,
            count=count,
        )
