"""Where originals are kept: whatever the plan takes out of a context can be read back from here.

`local.py` keeps them in a folder: `files.py` holds its rules of the file system, `ledger.py` counts and sweeps,
`threads.py` bounds how long anybody waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Artifact:
    """An original, whole: `text` as the client sent it, `kind` what it was (result, arguments, turns).

    `created` and `expires` are seconds since the epoch; `sessions` are those that refer to it.
    """

    locator: str
    kind: str
    text: str
    created: float
    expires: float
    sessions: tuple[str, ...]


class Artifacts(Protocol):
    """One suite serves every implementation. All methods raise StoreError when the store cannot answer.

    A locator that is none (not `art_` and 12 of `a-z2-7`) is unknown; to put under it is a StoreError.
    """

    async def put(self, tenant: str, locator: str, kind: str, text: str, session: str) -> bool:
        """Keep one original; False where a cap of the tenant or session forbids it. Idempotent."""
        ...

    async def get(self, tenant: str, locator: str) -> Artifact | None:
        """The original, its time to live refreshed; None for unknown, foreign and expired alike."""
        ...

    async def erase(self, tenant: str, locator: str) -> bool:
        """Whether there was something to erase."""
        ...

    async def erase_session(self, tenant: str, session: str) -> int:
        """Erase what only this session refers to; how many artifacts went."""
        ...

    async def usage_bytes(self, tenant: str) -> int:
        """What the tenant's artifacts take up, approximately where several processes write."""
        ...
