"""A walk over one tenant's keys in an object store: what is there, and what has had its day.

A listing comes in the order of keys, so all that belongs to a locator stands together. Where it does not, only the
count suffers: before anything is removed its own keys are listed anew.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from proxy.artifacts.bucket import Bucket
from proxy.artifacts.files import is_locator
from proxy.artifacts.ledger import Usage
from proxy.artifacts.object_keys import Kept, kept, original_key

_SWEEP_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Survey:
    """Counts and sweeps; `now` and `ttl` in seconds."""

    bucket: Bucket
    home: str
    now: float
    ttl: float

    async def usage(self) -> Usage:
        """What stays, after the sweep of a bounded number."""
        usage, left = Usage(), _SWEEP_LIMIT
        async for locator, found in self._artifacts():
            if left and self._is_over(found) and await self._swept(locator):
                left -= 1
                continue
            size = found.size or 0
            usage.total += size
            for session in found.sessions:
                usage.sessions[session] = usage.sessions.get(session, 0) + size
        return usage

    async def _artifacts(self) -> AsyncIterator[tuple[str, Kept]]:
        current, entries = "", list[tuple[str, int]]()
        async for key, size in self.bucket.list(self.home):
            place, _, name = key.partition("/")
            if place != current:
                if entries:
                    yield current, kept(entries)
                current, entries = place, []
            if is_locator(place):
                entries.append((name, size))
        if entries:
            yield current, kept(entries)

    def _is_over(self, found: Kept) -> bool:
        return bool(found.used_marks) and found.used + self.ttl <= self.now

    async def _swept(self, locator: str) -> bool:
        found = await listed(self.bucket, self.home, locator)
        if not self._is_over(found):
            return False
        await removed(self.bucket, self.home, locator, found)
        return True


async def listed(bucket: Bucket, home: str, locator: str) -> Kept:
    """What stands under one locator now."""
    return kept([entry async for entry in bucket.list(f"{home}/{locator}")])


async def removed(bucket: Bucket, home: str, locator: str, found: Kept) -> None:
    """The original first: without it, nothing is found under what may be left."""
    await bucket.delete([original_key(home, locator)])
    await bucket.delete(found.keys(home, locator))
