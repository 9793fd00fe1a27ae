"""Loading by place: the lines that were cited, or where the definition stands now that its file has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from proxy.retrieval.pages import Room
from proxy.workspaces.answers import Told, page_at, page_of, said
from proxy.workspaces.citation import Citation
from proxy.workspaces.index import File
from proxy.workspaces.symbol import Hit, Symbol, name_part, parts, text_part
from proxy.workspaces.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _Found:
    workspace: str
    path: str
    file: File


@dataclass(frozen=True, slots=True)
class Places:
    """The files of these workspaces, by name. `shown` makes a path as the tenant knows it."""

    workspaces: Mapping[str, Workspace]
    shown: Callable[[str, str], str]

    async def load(self, place: Citation, room: Room) -> Told | None:
        """The lines at a place; None where there is no such file, and nothing that was cited so."""
        found = await self._files(place.path)
        for each in found:
            if _is_same(place, each.file):
                around = _around(each.file, place.start.line)
                shown = self.shown(each.workspace, each.path)
                return Told(page_at(place, shown, each.file.lines, around).told(room), "found")
        if place.mark is None:
            return _short(place, found[0].file) if found else None
        for each in found:
            if told := self._now(place, each, room):
                return told
        return await self._moved(place, place.mark, room) or (_gone(place) if found else None)

    async def _files(self, path: str) -> list[_Found]:
        """The files that a path may mean: with the workspace's name before it, or without."""
        found = []
        for name, workspace in self.workspaces.items():
            for each in dict.fromkeys((path.removeprefix(f"{name}/"), path)):
                if file := await workspace.file(each):
                    found.append(_Found(name, each, file))
        return found

    def _now(self, place: Citation, found: _Found, room: Room) -> Told | None:
        """Where the definition stands in its file now."""
        name, text = parts(place.mark or 0)
        named = [symbol for symbol in found.file.symbols if name_part(symbol.qualified) == name]
        named.sort(key=lambda each: (parts(each.mark)[1] != text, abs(each.first - place.start.line)))
        hits = [Hit(found.workspace, found.path, self.shown(found.workspace, found.path), each) for each in named]
        if not hits:
            return None
        is_moved = parts(named[0].mark)[1] == text
        what = "these lines have moved here" if is_moved else "it says this now"
        note = f"; the file has changed since lines {place.start.line}-{place.last} were cited, {what}"
        return Told(page_of(hits[0], found.file.lines, hits[1:4], note).told(room), "changed")

    async def _moved(self, place: Citation, mark: int, room: Room) -> Told | None:
        """The same text under the same name in another file."""
        for name, workspace in self.workspaces.items():
            for path, symbol in await workspace.marked(mark):
                file = await workspace.file(path)
                if file is not None and symbol in file.symbols:
                    hit = Hit(name, path, self.shown(name, path), symbol)
                    note = f"; it stood in {said(place.path)}, and has moved here unchanged"
                    return Told(page_of(hit, file.lines, (), note).told(room), "changed")
        return None


def _is_same(place: Citation, file: File) -> bool:
    """Whether the lines are there, and say what they said."""
    first, last = place.start.line, place.last
    if first > len(file.lines):
        return False
    return place.mark is None or text_part(file.lines[first - 1 : last]) == parts(place.mark)[1]


def _around(file: File, line: int) -> Symbol | None:
    """The innermost definition that a line stands in."""
    inside = [symbol for symbol in file.symbols if symbol.first <= line <= symbol.last]
    return min(inside, key=lambda symbol: symbol.last - symbol.first, default=None)


def _short(place: Citation, file: File) -> Told:
    return Told(f"[Forebay: {said(place.path)} has {len(file.lines)} lines]", "nothing")


def _gone(place: Citation) -> Told:
    lines = f"lines {place.start.line}-{place.last}"
    text = f"{said(place.path)} has changed since {lines} were cited, and what they defined is not there any more"
    return Told(f"[Forebay: {text}; search for its name]", "changed")
