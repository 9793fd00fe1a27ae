"""What is remembered between requests: session records and request reports, below a tenant, for a time.

Correctness never depends on it: a store that is down costs one short time-out and some figures.

`redis.py` is the only door to redis-py (`breaker.py` closes it, `patience.py` tells a slow store from a busy proxy),
`sessions.py` keeps the records under the names of `keys.py`, `embedded.py` runs a store for those who have none
(`lock.py`: once per folder, `launcher.py`: not longer than the proxy).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """What one request leaves behind. `report` is the JSON-ready report of the request (see `policies`);
    `added` are the numbers by which the session's totals grow."""

    session: str
    parent: str | None
    model: str
    policy: str
    report: dict[str, Any]
    added: dict[str, int | float]


class Sessions(Protocol):
    """Session records of a tenant. Methods raise StoreError when the store cannot answer."""

    async def record(self, tenant: str, record: RequestRecord) -> None:
        """Add one request to its session: one pipeline, every key with its time to live."""
        ...

    async def get(self, tenant: str, session: str) -> dict[str, Any] | None:
        """One session, None if unknown: what `list` says of it, `children` (ids, latest first) and `requests`
        (`at` and `report`, latest first)."""
        ...

    async def erase(self, tenant: str, session: str) -> bool:
        """Whether there was something to erase."""
        ...

    async def list(self, tenant: str, limit: int = 100) -> list[dict[str, Any]]:
        """The tenant's sessions, latest first: `session`, `parent`, `model`, `policy`, `created`, `updated`
        (seconds since the epoch) and `totals`."""
        ...
