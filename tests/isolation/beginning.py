"""A store of small values for tests of isolation, which can fail."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.errors import StoreError


class FakeRecords:
    """Implements `Records` in memory. `reads` counts the names asked for."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], bytes] = {}
        self.down = False
        self.reads = 0

    async def put(self, tenant: str, name: str, value: bytes) -> None:
        self._check()
        self.kept[tenant, name] = value

    async def get(self, tenant: str, names: Sequence[str]) -> list[bytes | None]:
        self._check()
        self.reads += len(names)
        return [self.kept.get((tenant, name)) for name in names]

    def _check(self) -> None:
        if self.down:
            raise StoreError("the store does not answer")
