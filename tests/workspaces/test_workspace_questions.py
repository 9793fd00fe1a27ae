"""Search and load over real files."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from proxy.workspaces.tree import Tree
from proxy.workspaces.workspace import Workspace
from tests.workspaces.sources import SOURCES
from tests.workspaces.yard import ROOM, Yard, body, following, head

LONG = "class Long:\n" + "".join(f"    def m{n}(self):\n        return {n}\n" for n in range(800))


@pytest.mark.parametrize("language", SOURCES)
async def test_every_language_is_found_by_search_with_file_kind_and_lines(yard: Yard, language: str) -> None:
    file, source, expected = SOURCES[language]
    yard.write(f"src/{file}", source)
    for definition in expected:
        kind, name, lines = definition.split(" ")
        assert f"src/{file}:{lines} {kind} {name}" in await yard.places(name)


@pytest.mark.parametrize("language", SOURCES)
async def test_every_language_is_loaded_by_name(yard: Yard, language: str) -> None:
    file, source, expected = SOURCES[language]
    yard.write(file, source)
    for definition in expected:
        kind, name, lines = definition.split(" ")
        first, last = map(int, lines.split("-"))
        told = await yard.load(name)
        assert told.result == "found"
        assert f"{kind} {name}" in head(told)
        if told.text.startswith(f"[Forebay: {file}:{lines}@"):  # else another of that name stands first
            assert body(told) == "".join(source.splitlines(keepends=True)[first - 1 : last])
        else:
            assert f"{file}:{lines}@" in head(told)


async def test_an_exact_name_is_loaded_with_its_file_and_lines(yard: Yard) -> None:
    yard.write("src/boat.py")
    told = await yard.load("stop")
    assert body(told) == "    def stop(self):\n        return self.sail(0)\n"
    assert head(told).startswith("[Forebay: src/boat.py:7-8@")
    assert head(told).endswith("method Boat.stop]")


async def test_all_candidates_are_named_where_several_have_the_name(yard: Yard) -> None:
    for path in ("a.py", "b.py", "c.py"):
        yard.write(path)
    told = await yard.load("Boat.sail")
    assert head(told).startswith("[Forebay: a.py:4-5@")
    assert "; also defined: b.py:4-5@" in head(told)
    assert "; c.py:4-5@" in head(told)


async def test_many_candidates_are_listed_instead(yard: Yard) -> None:
    for number in range(20):
        yard.write(f"m{number:02}.py")
    told = await yard.load("main")
    assert head(told) == "[Forebay: 20 definitions are named 'main'; load one by its place as name]"
    assert [line.partition(":")[0] for line in told.text.splitlines()[1:]] == [f"m{n:02}.py" for n in range(20)]


async def test_the_owner_decides_between_equal_names(yard: Yard) -> None:
    yard.write("a.py", "class Crane:\n    def sail(self): pass\n")
    yard.write("b.py")
    for written in ("Boat.sail", "Boat::sail", "Boat#sail", "Boat.sail()", "def Boat.sail(self, speed):"):
        assert head(await yard.load(written)).endswith("method Boat.sail]")


async def test_a_file_counts_as_owner_of_what_it_defines(yard: Yard) -> None:
    yard.write("a.py", "def main(): pass\n")
    yard.write("b.py", "def main(): pass\n")
    assert head(await yard.load("b.main")).startswith("[Forebay: b.py:1-1@")


async def test_an_owner_that_is_not_there_still_leads_to_the_name(yard: Yard) -> None:
    yard.write("boat.py")
    assert head(await yard.load("Ship.sail")).endswith("method Boat.sail]")


async def test_a_name_in_other_case_is_loaded_where_no_other_is_there(yard: Yard) -> None:
    yard.write("boat.py", "def moor_now(): pass\ndef MoorNow(): pass\n")
    assert head(await yard.load("moor_now")).endswith(" moor_now]")
    assert head(await yard.load("moornow")).partition(";")[0].endswith(" MoorNow")


async def test_a_name_that_is_not_there_is_answered_with_what_comes_near(yard: Yard) -> None:
    yard.write("boat.py")
    told = await yard.load("sai")
    assert told.result == "nothing"
    assert head(told).startswith("[Forebay: no definition is named 'sai'; 1 come near; ")
    assert told.text.splitlines()[1].endswith(" method Boat.sail")


@pytest.mark.parametrize("query", ["zeppelin", "", "   ", "()", "*", "💡", "a" * 5_000, "\0", "[", "\\d+"])
async def test_nothing_matches_what_is_not_there(yard: Yard, query: str) -> None:
    yard.write("boat.py")
    searched, loaded = await yard.search(query), await yard.load(query)
    assert (searched.result, loaded.result) == ("nothing", "nothing")
    assert len(searched.text) < 200


async def test_a_long_definition_comes_in_pages_that_add_up(yard: Yard) -> None:
    yard.write("long.py", LONG)
    told = await yard.load("Long")
    text, pages = body(told), 1
    while place := following(told):
        told = await yard.load(place)
        assert told.result == "found"
        text, pages = text + body(told), pages + 1
    assert text == LONG
    assert pages > 3


async def test_a_page_keeps_to_its_room(yard: Yard) -> None:
    yard.write("long.py", LONG)
    for size in (200, 500, 2_000):
        room = replace(ROOM, size=size)
        for told in (await yard.load("Long", room=room), await yard.search("m", room=room)):
            assert size / 3 < ROOM.weigh(told.text) <= size


async def test_one_long_line_comes_in_pages_too(yard: Yard) -> None:
    line = "def f(): return '" + "x" * 30_000 + "'"
    yard.write("wide.py", line + "\n")
    told = await yard.load("f")
    pages = [told]
    while place := following(told):
        told = await yard.load(place)
        pages.append(told)
    assert "".join(body(page).removesuffix("\n") for page in pages) == line


async def test_a_list_that_is_cut_says_how_many_there_are(yard: Yard) -> None:
    yard.write("long.py", LONG)
    told = await yard.search("m")
    assert head(told).startswith("[Forebay: 800 definitions match 'm', the first ")


async def test_a_text_that_is_no_utf8_is_shown_with_marks(yard: Yard) -> None:
    yard.write("latin.py", "def größe():\n    return 'ä'\n".encode("latin-1") + b"def after(): pass\n")
    assert (await yard.load("after")).result == "found"


async def test_an_answer_from_an_index_that_is_still_being_made_says_so(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard.write("boat.py")
    monkeypatch.setattr(Workspace, "_walk", stuck := Stuck(Workspace._walk))
    asked = asyncio.create_task(yard.search("sail"))
    await asyncio.to_thread(stuck.began.wait, 60)
    yard.workspaces._workspaces[0][0]._patience = 0.01
    note = "; the index is still being made, there may be more"
    assert note in head(await yard.search("sail"))
    assert (await yard.load("boat.py:1-2")).result == "failed"
    stuck.may_go.set()
    assert note not in head(await asked)


class Stuck:
    """A walk that waits until it may go."""

    def __init__(self, walk: Callable[[Workspace], Tree]) -> None:
        self._walk = walk
        self.began, self.may_go = threading.Event(), threading.Event()

    def __get__(self, workspace: Workspace, owner: object) -> Callable[[], Tree]:
        return lambda: self._run(workspace)

    def _run(self, workspace: Workspace) -> Tree:
        self.began.set()
        assert self.may_go.wait(60)
        return self._walk(workspace)
