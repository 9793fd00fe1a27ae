"""Whose key a provider took lately. Who comes with a key of their own is a stranger until then, and leaves no trace.

Whatever would be written for a stranger waits in memory: for a while, and not much of it. What the first success
finds there is written then; the rest is forgotten, for nobody's key it was.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from proxy.retrieval.records import Records
from proxy.tenants import PASSTHROUGH

PROVEN_SECONDS = 3600.0
"""A key may be withdrawn, so it is proven again by each success, and only for a while."""
_STRANGERS = 10_000
_TENANTS = 100_000
_WAITING_BYTES = 16_000_000


class Proven:
    """The tenants whose keys were taken; everybody whom the operator configured counts as such."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until: OrderedDict[str, float] = OrderedDict()

    def holds(self, tenant: str) -> bool:
        """Whether something may be stored for this tenant."""
        return not tenant.startswith(PASSTHROUGH) or self._until.get(tenant, 0.0) > self._now()

    def judged(self, tenant: str, status: int) -> bool:
        """What a provider answered to the tenant's key; whether it is the success that proves a stranger's."""
        if not tenant.startswith(PASSTHROUGH):
            return False
        was_proven = self.holds(tenant)
        if status < 300:
            self._until[tenant] = self._now() + PROVEN_SECONDS
            self._until.move_to_end(tenant)
            while len(self._until) > _TENANTS:
                self._until.popitem(last=False)
        elif status == 401:
            self._until.pop(tenant, None)
        return not was_proven and self.holds(tenant)


class ProvenRecords:
    """`Records` in which a stranger's wait. `written()` once the tenant is proven."""

    def __init__(self, records: Records, proven: Proven) -> None:
        self._records = records
        self._proven = proven
        self._waiting: OrderedDict[str, dict[str, bytes]] = OrderedDict()
        self._bytes = 0

    async def put(self, tenant: str, name: str, value: bytes) -> None:
        """Keep a value, or have it wait."""
        if self._proven.holds(tenant):
            await self._records.put(tenant, name, value)
            return
        waiting = self._waiting.setdefault(tenant, {})
        self._bytes += len(value) - len(waiting.get(name, b""))
        waiting[name] = value
        while self._bytes > _WAITING_BYTES or len(self._waiting) > _STRANGERS:
            self._forget(next(iter(self._waiting)))

    async def get(self, tenant: str, names: Sequence[str]) -> list[bytes | None]:
        """The values of these names; a stranger has none in the store."""
        if self._proven.holds(tenant):
            return await self._records.get(tenant, names)
        waiting = self._waiting.get(tenant, {})
        return [waiting.get(name) for name in names]

    async def written(self, tenant: str) -> None:
        """Write what waited. Raises what the store raises; it is forgotten then."""
        for name, value in self._forget(tenant).items():
            await self._records.put(tenant, name, value)

    def _forget(self, tenant: str) -> dict[str, bytes]:
        waiting = self._waiting.pop(tenant, {})
        self._bytes -= sum(map(len, waiting.values()))
        return waiting
