"""The desk: each segment is decided once, by whoever is first, and everybody forwards what then stands.

A summary is written in the background under a lease. When a request needs the decision it waits, at most as long as
its policy says; then the turns are dropped, and that is recorded so that a summary which comes late changes nothing.
A store that is down costs the summary and never the request: this process then remembers what it did by itself.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from policies.summaries import Decision
from proxy.background import Background
from proxy.errors import StoreError
from proxy.summaries.breakers import Breakers
from proxy.summaries.ledger import Ledger
from proxy.summaries.summariser import NoSummary, Summariser
from proxy.summaries.work import Work
from proxy.wire.cache import Generations

log = logging.getLogger(__name__)

Place = tuple[str, str]  # tenant, key
Status = Literal["none", "pending", "failed"]

REFRESH_SECONDS = 600.0
"""A known decision is asked for again after this, so that use renews its time to live in the store."""
LONGEST_CALL_SECONDS = 60.0
"""A summariser may take this long, or three times what a request waits for it, whichever is longer."""
POLL_SECONDS = 0.1
"""How often a request looks whether another worker's summary has come."""
_CAPACITY_BYTES = 64_000_000
_DROPPED = Decision(None)


@dataclass(frozen=True, slots=True)
class _Known:
    decision: Decision
    at: float


class Desk:
    """One per process. `on_result` is told what became of each summary."""

    def __init__(
        self,
        summariser: Summariser,
        ledger: Ledger,
        on_result: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._summariser = summariser
        self._ledger = ledger
        self._on_result = on_result
        self._now = now
        self._breakers = Breakers(now)
        self._known: Generations[Place, _Known] = Generations(_CAPACITY_BYTES)
        self._failed: Generations[Place, bool] = Generations(100_000)
        self._running: dict[Place, asyncio.Task[Decision | None]] = {}
        self._background = Background()

    def known(self, tenant: str, key: str) -> Decision | None:
        """What this process knows; never waits."""
        known = self._known.get((tenant, key))
        return known.decision if known else None

    async def look_up(self, tenant: str, key: str) -> Decision | None:
        """What stands, as far as anybody knows; of a store that is down, what this process knows."""
        known = self._known.get((tenant, key))
        if known is not None and known.at + REFRESH_SECONDS > self._now():
            return known.decision
        try:
            found = await self._ledger.find(tenant, key)
        except StoreError as error:
            log.debug("a decision could not be looked up: %s", error)
            found = None
        if known is not None:  # it stays what it was here, whatever became of its record
            found = known.decision
        return self._remember((tenant, key), found) if found else None

    def start(self, work: Work) -> None:
        """Have the segment summarised in the background, unless that was done or is under way."""
        place = (work.tenant, work.key)
        if place in self._running or self.known(*place) is not None:
            return
        if self._breakers.refuses(work.route.name):
            self._on_result("skipped")
            return
        task = self._background.start(self._summarised(work))
        if task is not None:
            self._running[place] = task
            task.add_done_callback(lambda _: self._running.pop(place, None))

    async def settle(self, work: Work) -> Decision:
        """What stands for the segment now: the summary if it comes in time, else that the turns are dropped."""
        place = (work.tenant, work.key)
        self.start(work)
        ends = self._now() + work.settings.timeout_seconds
        task = self._running.get(place)
        if task is not None:
            await asyncio.wait({task}, timeout=work.settings.timeout_seconds)
            if not task.done():
                self._on_result("timeout")
            elif (decision := self.known(*place)) is not None:
                return decision
        return await self._written_elsewhere(work, ends) or await self.give_up(*place)

    async def give_up(self, tenant: str, key: str) -> Decision:
        """Record that the turns are dropped, unless something else stands already."""
        try:
            stands = await self._ledger.settle(tenant, key, _DROPPED)
        except StoreError as error:
            log.debug("a decision is remembered by this process only: %s", error)
            stands = _DROPPED
        if stands.text is None:
            self._failed.put((tenant, key), True, 1)
            self._on_result("dropped")
        return self._remember((tenant, key), stands)

    def status(self, tenant: str, key: str) -> Status:
        """How the summary of a segment stands that is not decided yet."""
        if (tenant, key) in self._running:
            return "pending"
        return "failed" if (tenant, key) in self._failed else "none"

    async def close(self) -> None:
        """End what is under way; another worker, or the next request, begins anew."""
        await self._background.drain(0)

    async def _summarised(self, work: Work) -> Decision | None:
        """Write the summary under a lease; None where there is none of ours."""
        place = (work.tenant, work.key)
        longest = max(LONGEST_CALL_SECONDS, 3 * work.settings.timeout_seconds)
        try:
            token = await self._ledger.lease(*place, longest)
            if token is None:
                return None
            try:
                return await self._ledger.find(*place) or await self._written(work, longest)
            finally:
                await asyncio.shield(self._ledger.release(*place, token))
        except StoreError as error:
            log.debug("nothing is summarised while the store fails: %s", error)
            return None

    async def _written(self, work: Work, longest: float) -> Decision | None:
        place = (work.tenant, work.key)
        try:
            async with asyncio.timeout(longest):
                text = await self._summariser.write(work)
        except (NoSummary, TimeoutError) as error:
            self._breakers.failed(work.route.name)
            self._failed.put(place, True, 1)
            self._on_result(error.result if isinstance(error, NoSummary) else "timeout")
            log.warning("no summary by %s: %s", work.route.name, str(error) or f"no answer in {longest:g} s")
            return None
        self._breakers.succeeded(work.route.name)
        stands = await self._ledger.settle(*place, Decision(text))
        self._on_result("recorded" if stands.text == text else "beaten")
        return self._remember(place, stands)

    async def _written_elsewhere(self, work: Work, ends: float) -> Decision | None:
        """Wait while another worker holds the lease."""
        place = (work.tenant, work.key)
        try:
            while self._now() < ends:
                found = await self._ledger.find(*place)
                if found is not None:
                    return self._remember(place, found)
                if place in self._running or not await self._ledger.is_leased(*place):
                    return None
                await asyncio.sleep(POLL_SECONDS)
        except StoreError as error:
            log.debug("a decision could not be looked up: %s", error)
        return None

    def _remember(self, place: Place, decision: Decision) -> Decision:
        self._known.put(place, _Known(decision, self._now()), 200 + len(decision.text or ""))
        return decision
