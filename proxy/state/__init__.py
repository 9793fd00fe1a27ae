"""What is remembered between requests: session records and request reports, below a tenant, for a time.

Correctness never depends on it: a store that is down costs one short time-out and some figures.

`redis.py` is the only door to a store (`breaker.py` closes it, `patience.py` tells a slow store from a busy proxy;
`clients.py` and `cluster.py` are the ways through it), `quotas.py` counts what limits allow,
`sessions.py` keeps the records under the names of `keys.py` (`stored.py` reads them, `family.py` adds up those of a
session and its children), `embedded.py` runs a store for those who have none
(`lock.py`: once per folder, `launcher.py`: not longer than the proxy).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """What one request leaves behind. `report` is the JSON-ready report of the request (see `policies`);
    `added` are the numbers by which the session's totals grow; `history` tells the histories of a session apart."""

    session: str
    parent: str | None
    model: str
    policy: str
    report: dict[str, Any]
    added: dict[str, int | float]
    history: str | None = None


class Sessions(Protocol):
    """Session records of a tenant. Methods raise StoreError when the store cannot answer."""

    async def record(self, tenant: str, record: RequestRecord) -> None:
        """Add one request to its session: one pipeline, every key with its time to live."""
        ...

    async def get(self, tenant: str, session: str) -> dict[str, Any] | None:
        """One session, None if unknown: what `list` says of it, and, latest first, its `children` (ids), `histories`
        (`history`, `requests`, `updated`) and `requests` (`at` and `report`).

        `totals_with_children` adds up its own totals and those of its `descendants`: of `counted` sessions, all there
        are if `whole`. A session that is known as a parent only is one without totals, model, policy and times.
        """
        ...

    async def erase(self, tenant: str, session: str) -> bool:
        """Whether there was something to erase."""
        ...

    async def list(self, tenant: str, limit: int = 100) -> list[dict[str, Any]]:
        """The tenant's sessions, latest first: `session`, `parent`, `model`, `policy`, `created`, `updated`
        (seconds since the epoch) and `totals`."""
        ...
