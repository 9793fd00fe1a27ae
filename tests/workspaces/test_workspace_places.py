"""Places that were cited: they resolve, or the answer says that the file has changed."""

from __future__ import annotations

import pytest

from tests.workspaces.yard import BOAT, Yard, body, head

SAIL = "    def sail(self, speed):\n        return speed\n"


async def test_a_cited_place_loads_its_lines(yard: Yard) -> None:
    yard.write("src/boat.py")
    told = await yard.load(await yard.cite("sail"))
    assert (told.result, body(told)) == ("found", SAIL)


async def test_more_of_a_line_than_the_place_may_be_copied(yard: Yard) -> None:
    yard.write("boat.py")
    line = (await yard.search("sail")).text.splitlines()[1]
    for written in (line, f"`{line.split(' ')[0]}`", f" ./{line}", f"{line}; "):
        assert body(await yard.load(written)) == SAIL


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("4-5", SAIL),
        ("4", SAIL.splitlines(keepends=True)[0]),
        ("L4-L5", SAIL),
        ("12-99", "    Boat().stop()\n"),
        ("0-1", "class Boat:\n"),
    ],
)
async def test_a_place_without_a_mark_loads_what_is_there(yard: Yard, lines: str, expected: str) -> None:
    yard.write("boat.py")
    told = await yard.load(f"boat.py:{lines}")
    assert (told.result, body(told)) == ("found", expected)


async def test_lines_behind_the_end_and_files_that_are_not_there_are_said_not_to_be(yard: Yard) -> None:
    yard.write("boat.py")
    yard.write("empty.py", "")
    assert (await yard.load("boat.py:13-20")).text == "[Forebay: 'boat.py' has 12 lines]"
    assert (await yard.load("empty.py:1-2")).result == "nothing"
    assert (await yard.load("ship.py:1-2")).text == "[Forebay: there is no source file 'ship.py']"
    assert (await yard.load("ship.py:1-2@00000000")).text == "[Forebay: there is no source file 'ship.py']"


async def test_an_edit_elsewhere_in_the_file_that_moves_nothing_changes_nothing(yard: Yard) -> None:
    yard.write("boat.py")
    place = await yard.cite("sail")
    yard.write("boat.py", BOAT + "\n\ndef more(): pass\n")
    told = await yard.load(place)
    assert (told.result, body(told)) == ("found", SAIL)


async def test_lines_that_moved_are_found_where_they_are_now(yard: Yard) -> None:
    yard.write("boat.py")
    place = await yard.cite("sail")
    yard.write("boat.py", "import os\n\n" + BOAT)
    told = await yard.load(place)
    assert (told.result, body(told)) == ("changed", SAIL)
    assert head(told).startswith("[Forebay: boat.py:6-7@")
    assert "the file has changed since lines 4-5 were cited, these lines have moved here" in head(told)


async def test_a_definition_that_was_edited_is_shown_as_it_is_now(yard: Yard) -> None:
    yard.write("boat.py")
    place = await yard.cite("sail")
    yard.write("boat.py", "import os\n" + BOAT.replace("return speed", "return 2 * speed"))
    told = await yard.load(place)
    assert (told.result, body(told)) == ("changed", SAIL.replace("speed\n", "2 * speed\n"))
    assert "the file has changed since lines 4-5 were cited, it says this now" in head(told)
    again = await yard.load(head(told).removeprefix("[Forebay: ").split(" ")[0])
    assert (again.result, body(again)) == ("found", body(told))


async def test_a_definition_that_is_gone_is_said_to_be(yard: Yard) -> None:
    yard.write("boat.py")
    place = await yard.cite("sail")
    yard.write("boat.py", "def other(): pass\n")
    told = await yard.load(place)
    assert told.result == "changed"
    assert told.text == (
        "[Forebay: 'boat.py' has changed since lines 4-5 were cited, and what they defined is not there any more; "
        "search for its name]"
    )


async def test_a_definition_in_a_renamed_file_is_found_there(yard: Yard) -> None:
    file = yard.write("boat.py")
    place = await yard.cite("sail")
    file.rename(yard.root / "ship.py")
    told = await yard.load(place)
    assert (told.result, body(told)) == ("changed", SAIL)
    assert head(told).endswith("method Boat.sail; it stood in 'boat.py', and has moved here unchanged]")


async def test_the_rest_of_a_page_is_known_again_after_an_edit(yard: Yard) -> None:
    long = "class Long:\n" + "".join(f"    def m{n}(self):\n        return {n}\n" for n in range(800))
    yard.write("long.py", long)
    told = await yard.load("Long")
    rest = told.text.splitlines()[-1].split('"')[1]
    yard.write("long.py", "\n" + long)
    told = await yard.load(rest)
    assert told.result == "changed"
    assert head(told).startswith("[Forebay: long.py:2-")
    assert body(told).startswith("class Long:\n")


async def test_of_two_equal_definitions_the_nearer_one_is_meant(yard: Yard) -> None:
    twice = "if a:\n    def f(): pass\n\n\n\nelse:\n    def f(): pass\n"
    yard.write("f.py", twice)
    second = (await yard.search("f")).text.splitlines()[2].split(" ")[0]
    assert second.startswith("f.py:7-7@")
    yard.write("f.py", "\n" + twice)
    told = await yard.load(second)
    assert head(told).startswith("[Forebay: f.py:8-8@")
    assert "; also defined: f.py:3-3@" in head(told)
