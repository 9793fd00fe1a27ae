"""All workspaces of the configuration, and what each tenant sees of them: those that name it, nothing of any other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from proxy.retrieval.pages import Room
from proxy.settings import WorkspaceSettings
from proxy.workspaces.answers import Told
from proxy.workspaces.view import View
from proxy.workspaces.workspace import Workspace


class Workspaces:
    """One per process. Safe to call concurrently."""

    def __init__(self, configured: Sequence[WorkspaceSettings]) -> None:
        self._workspaces = [(Workspace(each.name, each.path), frozenset(each.tenants)) for each in configured]

    def has(self, tenant: str) -> bool:
        """Whether any workspace names the tenant."""
        return any(_may_read(tenant, tenants) for _, tenants in self._workspaces)

    async def search(self, tenant: str, query: str, room: Room) -> Told:
        """The places of definitions whose name matches, the best first."""
        return await self._view(tenant).search(query, room)

    async def load(self, tenant: str, name: str, room: Room) -> Told:
        """The text of the definition with this name, or of the lines at a place like `src/boat.py:10-40@3fa2c1d0`."""
        return await self._view(tenant).load(name, room)

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """As long as this is open, questions are answered; all is indexed at once, so that the first need not wait."""
        warming = asyncio.create_task(self.warm())
        try:
            yield
        finally:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
            await self.close()

    async def warm(self) -> None:
        """Index everything once."""
        await asyncio.gather(*(workspace.current() for workspace, _ in self._workspaces))

    async def close(self) -> None:
        """End what is under way."""
        await asyncio.gather(*(workspace.close() for workspace, _ in self._workspaces))

    def _view(self, tenant: str) -> View:
        return View([workspace for workspace, tenants in self._workspaces if _may_read(tenant, tenants)])


def _may_read(tenant: str, tenants: frozenset[str]) -> bool:
    return tenant in tenants or "*" in tenants
