"""A workspace of real files, and questions to it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from proxy.retrieval.pages import Room
from proxy.settings import WorkspaceSettings
from proxy.workspaces import Told, Workspaces

BOAT = '''class Boat:
    """A boat."""

    def sail(self, speed):
        return speed

    def stop(self):
        return self.sail(0)


def main():
    Boat().stop()
'''
ROOM = Room(2_000, lambda text: len(text) // 4 + 1)


@dataclass
class Yard:
    """The folder `root`, seen by the tenant `t`."""

    root: Path
    workspaces: Workspaces

    def write(self, path: str, text: str | bytes = BOAT) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    async def search(self, query: str, tenant: str = "t", room: Room = ROOM) -> Told:
        return await self.workspaces.search(tenant, query, room)

    async def load(self, name: str, tenant: str = "t", room: Room = ROOM) -> Told:
        return await self.workspaces.load(tenant, name, room)

    async def places(self, query: str) -> list[str]:
        """What a search finds, without the marks: `boat.py:4-5 method Boat.sail`."""
        return [re.sub("@[0-9a-f]{8} ", " ", line) for line in (await self.search(query)).text.splitlines()[1:]]

    async def cite(self, query: str) -> str:
        """The place of the first definition that is found."""
        return (await self.search(query)).text.splitlines()[1].split(" ")[0]


def settings(name: str, path: Path, *tenants: str) -> WorkspaceSettings:
    return WorkspaceSettings(name=name, path=path, tenants=tenants)


@asynccontextmanager
async def opened(configured: Sequence[WorkspaceSettings]) -> AsyncIterator[Workspaces]:
    workspaces = Workspaces(configured)
    try:
        yield workspaces
    finally:
        await workspaces.close()


def body(told: Told) -> str:
    """A text without its frame."""
    return "".join(line + "\n" for line in told.text.splitlines() if not line.startswith("[Forebay: "))


def head(told: Told) -> str:
    return told.text.splitlines()[0]


def following(told: Told) -> str | None:
    """How a page goes on."""
    match = re.search(r'goes on with name "(.*)"\]$', told.text)
    return match[1] if match else None
