"""What one tenant sees: its workspaces searched together, definitions loaded by name or by place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from proxy.retrieval.pages import Room
from proxy.workspaces.answers import PLACES_NAMED, Told, listed, page_of, said
from proxy.workspaces.citation import cited
from proxy.workspaces.index import File
from proxy.workspaces.matching import EXACT, OWNER_DIFFERS, SAME_BUT_CASE, order, queried
from proxy.workspaces.places import Places
from proxy.workspaces.symbol import Hit, Symbol
from proxy.workspaces.workspace import Workspace

MOST_LISTED = 100
_NAMED_SO = frozenset({EXACT, SAME_BUT_CASE, EXACT + OWNER_DIFFERS, SAME_BUT_CASE + OWNER_DIFFERS})


@dataclass(frozen=True, slots=True)
class Found:
    """Definitions that match, the best first, with their ranks; `total` counts those beyond the most, too."""

    ranked: list[tuple[int, Hit]]
    total: int

    @property
    def hits(self) -> list[Hit]:
        """Without the ranks."""
        return [hit for _, hit in self.ranked]


class View:
    """The workspaces of a tenant. Paths begin with a workspace's name where there are several."""

    def __init__(self, workspaces: Sequence[Workspace]) -> None:
        self._workspaces = {workspace.name: workspace for workspace in workspaces}

    async def search(self, query: str, room: Room) -> Told:
        """The places of definitions whose name matches, the best first."""
        note = await self._current()
        found = await self._matching(query)
        if found.total:
            what = "definition matches" if found.total == 1 else "definitions match"
            return Told(listed(found.hits, f"{found.total} {what} {said(query)}", found.total, room, note), "found")
        return self._nothing(f"[Forebay: no definition matches {said(query)}{note}]", note)

    async def load(self, name: str, room: Room) -> Told:
        """The text of a definition by its name, or of the lines at a place."""
        note = await self._current()
        if place := cited(name):
            return await Places(self._workspaces, self._shown).load(place, room) or self._nothing(
                f"[Forebay: there is no source file {said(place.path)}{note}]", note
            )
        found = await self._matching(name)
        best = [hit for rank, hit in found.ranked if rank == found.ranked[0][0] and rank in _NAMED_SO]
        if best:
            return await self._loaded(name, best, room, note)
        if not found.total:
            return self._nothing(f"[Forebay: no definition is named {said(name)}{note}]", note)
        head = f"no definition is named {said(name)}; {found.total} come near"
        return Told(listed(found.hits, head, found.total, room, note), "nothing")

    async def _loaded(self, name: str, hits: Sequence[Hit], room: Room, note: str) -> Told:
        if len(hits) > PLACES_NAMED:
            head = f"{len(hits)} definitions are named {said(name)}"
            return Told(listed(hits, head, len(hits), room, note), "found")
        first, *others = hits
        file = await self._workspaces[first.workspace].file(first.path)
        now = _same(first.symbol, file) if file is not None else None
        if file is None or now is None:  # it was there a moment ago
            return Told(f"[Forebay: {said(name)} was just taken out of {first.shown}; ask again]", "changed")
        hit = Hit(first.workspace, first.path, first.shown, now)
        return Told(page_of(hit, file.lines, others, note).told(room), "found")

    async def _matching(self, text: str) -> Found:
        query = queried(text)
        each = await asyncio.gather(*(w.matching(query, MOST_LISTED) for w in self._workspaces.values()))
        named = zip(self._workspaces, each, strict=True)
        ranked = sorted(
            ((match, name) for name, (matches, _) in named for match in matches),
            key=lambda found: (order(found[0]), found[1]),
        )
        hits = [(rank, Hit(name, path, self._shown(name, path), symbol)) for (rank, path, symbol), name in ranked]
        return Found(hits[:MOST_LISTED], sum(total for _, total in each))

    async def _current(self) -> str:
        """Bring all indices up to date; what is to be said where they are not."""
        states = await asyncio.gather(*(workspace.current() for workspace in self._workspaces.values()))
        if "gone" in states:
            return "; a part of the source code cannot be read now"
        return "; the index is still being made, there may be more" if "partly" in states else ""

    def _nothing(self, text: str, note: str) -> Told:
        return Told(text, "failed" if note else "nothing")

    def _shown(self, workspace: str, path: str) -> str:
        return path if len(self._workspaces) == 1 else f"{workspace}/{path}"


def _same(symbol: Symbol, file: File) -> Symbol | None:
    """The definition in the file as it was read: at its place, else the next of its name."""
    named = [each for each in file.symbols if (each.qualified, each.kind) == (symbol.qualified, symbol.kind)]
    return min(named, key=lambda each: abs(each.first - symbol.first), default=None)
