"""What happens to files is seen by the next question."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from proxy.workspaces.workspace import Workspace
from tests.workspaces.yard import BOAT, Yard, body, head


async def test_a_new_file_is_seen(yard: Yard) -> None:
    assert await yard.places("sail") == []
    yard.write("boat.py")
    assert await yard.places("sail") == ["boat.py:4-5 method Boat.sail"]


async def test_an_edit_is_seen(yard: Yard) -> None:
    file = yard.write("boat.py")
    await yard.search("sail")
    file.write_text("\n\n" + BOAT)
    assert await yard.places("sail") == ["boat.py:6-7 method Boat.sail"]
    assert body(await yard.load("sail")) == "    def sail(self, speed):\n        return speed\n"


async def test_an_edit_of_the_same_length_right_after_another_is_seen(yard: Yard) -> None:
    for number in range(50):
        yard.write("boat.py", f"def name{number:02}(): pass\n")
        assert await yard.places("name") == [f"boat.py:1-1 function name{number:02}"]


async def test_an_edit_that_keeps_the_time_of_the_file_is_seen(yard: Yard) -> None:
    file = yard.write("boat.py", "def one(): pass\n")
    os.utime(file, ns=(10**18, 10**18))
    await yard.search("one")
    file.write_text("def two(): pass\n")
    os.utime(file, ns=(10**18, 10**18))
    assert await yard.places("two") == ["boat.py:1-1 function two"]


async def test_a_deleted_file_is_gone(yard: Yard) -> None:
    file = yard.write("boat.py")
    await yard.search("sail")
    file.unlink()
    assert await yard.places("sail") == []


async def test_a_renamed_file_and_a_renamed_folder_are_seen(yard: Yard) -> None:
    file = yard.write("old/boat.py")
    await yard.search("sail")
    file.rename(yard.root / "old" / "ship.py")
    assert await yard.places("sail") == ["old/ship.py:4-5 method Boat.sail"]
    (yard.root / "old").rename(yard.root / "new")
    assert await yard.places("sail") == ["new/ship.py:4-5 method Boat.sail"]


async def test_a_file_replaced_by_another_is_seen(yard: Yard) -> None:
    file = yard.write("boat.py", "def one(): pass\n")
    other = yard.write("two.txt", "def two(): pass\n")
    times = os.stat(file)
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    await yard.search("one")
    other.replace(file)
    assert await yard.places("one") == []
    assert await yard.places("two") == ["boat.py:1-1 function two"]


async def test_a_file_replaced_by_a_folder_and_back_is_seen(yard: Yard) -> None:
    file = yard.write("boat.py")
    await yard.search("sail")
    file.unlink()
    yard.write("boat.py/inner.py", "def inner(): pass\n")
    assert await yard.places("sail") == []
    assert await yard.places("inner") == ["boat.py/inner.py:1-1 function inner"]
    (file / "inner.py").unlink()
    file.rmdir()
    yard.write("boat.py")
    assert await yard.places("sail") == ["boat.py:4-5 method Boat.sail"]


async def test_a_syntax_error_harms_only_its_file_and_there_only_what_is_around_it(yard: Yard) -> None:
    yard.write("good.py")
    yard.write("bad.py", "def before():\n    pass\n\ndef broken(:\n\ndef after():\n    pass\n")
    assert await yard.places("sail") == ["good.py:4-5 method Boat.sail"]
    assert await yard.places("before") == ["bad.py:1-2 function before"]
    assert await yard.places("after") == ["bad.py:6-7 function after"]


async def test_only_what_changed_is_read_again(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [yard.write(f"m{number}.py") for number in range(20)]
    monkeypatch.setattr("proxy.workspaces.index.SETTLED_AFTER_NS", -(10**15))  # as if all that had been long ago
    await yard.search("sail")
    read: list[str] = []
    monkeypatch.setattr(
        "proxy.workspaces.index.read", lambda root, path: read.append(path) or (root / path).read_bytes()
    )
    await yard.search("sail")
    assert read == []
    files[7].write_text("def other(): pass\n")
    assert await yard.places("other") == ["m7.py:1-1 function other"]
    assert read == ["m7.py"]


async def test_a_file_that_changes_between_search_and_reading_is_told_as_it_is(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = yard.write("boat.py")
    found = Workspace.matching

    async def then_edited(self: Workspace, query: object, most: int) -> object:
        result = await found(self, query, most)  # type: ignore[arg-type]
        file.write_text("# moved\n" * 3 + BOAT.replace("return speed", "return 2 * speed"))
        return result

    monkeypatch.setattr(Workspace, "matching", then_edited)
    told = await yard.load("sail")
    assert body(told) == "    def sail(self, speed):\n        return 2 * speed\n"
    assert head(told).startswith("[Forebay: boat.py:7-8@")


async def test_a_definition_that_vanishes_between_search_and_reading_is_said_to_have(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = yard.write("boat.py")
    found = Workspace.matching

    async def then_gone(self: Workspace, query: object, most: int) -> object:
        result = await found(self, query, most)  # type: ignore[arg-type]
        file.unlink()
        return result

    monkeypatch.setattr(Workspace, "matching", then_gone)
    assert (await yard.load("sail")).text == "[Forebay: 'sail' was just taken out of boat.py; ask again]"


async def test_a_question_during_a_walk_waits_for_one_that_began_after_it(yard: Yard) -> None:
    """Thirty questions at once, each behind an edit of its own: every one sees its edit."""

    async def edit_and_ask(number: int) -> None:
        yard.write(f"m{number}.py", f"def only{number:02}(): pass\n")
        assert await yard.places(f"only{number:02}") == [f"m{number}.py:1-1 function only{number:02}"]
        await asyncio.sleep(0)

    await asyncio.gather(*(edit_and_ask(number) for number in range(30)))


async def test_questions_at_once_share_their_walks(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    yard.write("boat.py")
    walks: list[int] = []
    walked = Workspace._walk
    monkeypatch.setattr(Workspace, "_walk", lambda self: walks.append(1) or walked(self))
    await asyncio.gather(*(yard.search("sail") for _ in range(40)))
    assert 1 <= len(walks) <= 2


async def test_a_questioner_who_leaves_does_not_end_the_work_of_the_others(yard: Yard) -> None:
    for number in range(200):
        yard.write(f"m{number}.py")
    leaving = asyncio.create_task(yard.search("sail"))
    staying = asyncio.create_task(yard.search("sail"))
    await asyncio.sleep(0)
    leaving.cancel()
    assert "200 definitions match" in head(await staying)


async def test_a_folder_that_is_not_there_is_said_to_be_unreadable_until_it_is(yard: Yard) -> None:
    yard.write("boat.py")
    await yard.search("sail")
    yard.root.rename(yard.root.with_name("away"))
    told = await yard.search("sail")
    assert told.result == "failed"
    assert told.text == "[Forebay: no definition matches 'sail'; a part of the source code cannot be read now]"
    assert (await yard.load("boat.py:1-2")).result == "failed"
    yard.root.with_name("away").rename(yard.root)
    assert await yard.places("sail") == ["boat.py:4-5 method Boat.sail"]


async def test_a_root_that_is_a_link_is_followed_wherever_it_leads_now(tmp_path: Path, yard: Yard) -> None:
    """`current -> releases/2`: the operator's own link."""
    yard.write("boat.py")
    await yard.search("sail")
    yard.root.rename(tmp_path / "first")
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "crane.py").write_text("def lift(): pass\n")
    yard.root.symlink_to(tmp_path / "first")
    assert await yard.places("sail") == ["boat.py:4-5 method Boat.sail"]
    yard.root.unlink()
    yard.root.symlink_to(tmp_path / "second")
    assert await yard.places("sail") == []
    assert await yard.places("lift") == ["crane.py:1-1 function lift"]
