"""What of a folder is looked at: no link, nothing that nobody wrote, nothing that cannot be shown."""

from __future__ import annotations

import logging
import os
import socket
from pathlib import Path

import pytest

from proxy.workspaces import tree
from proxy.workspaces.matching import queried
from proxy.workspaces.workspace import Workspace
from tests.workspaces.yard import BOAT, Yard, body

SECRET = "def secret(): return 'not yours'\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.py").write_text(SECRET)
    return folder


async def test_links_are_not_followed_neither_to_files_nor_to_folders(yard: Yard, outside: Path) -> None:
    (yard.root / "link.py").symlink_to(outside / "secret.py")
    (yard.root / "folder").symlink_to(outside)
    (yard.root / "relative.py").symlink_to("../outside/secret.py")
    assert await yard.places("secret") == []
    for path in ("link.py", "folder/secret.py", "relative.py", "../outside/secret.py", str(outside / "secret.py")):
        assert (await yard.load(f"{path}:1-1")).result == "nothing"


async def test_a_loop_of_links_is_no_loop(yard: Yard) -> None:
    yard.write("a/boat.py")
    (yard.root / "a" / "again").symlink_to(yard.root)
    (yard.root / "itself").symlink_to("itself")
    assert await yard.places("sail") == ["a/boat.py:4-5 method Boat.sail"]


async def test_a_file_that_becomes_a_link_out_is_not_read(
    yard: Yard, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = yard.write("boat.py")
    await yard.search("sail")
    found = Workspace.matching

    async def then_linked(self: Workspace, query: object, most: int) -> object:
        result = await found(self, query, most)  # type: ignore[arg-type]
        file.unlink()
        file.symlink_to(outside / "secret.py")
        return result

    monkeypatch.setattr(Workspace, "matching", then_linked)
    assert "not yours" not in (await yard.load("sail")).text


def test_no_part_of_a_path_may_be_a_link_when_it_is_read(yard: Yard, outside: Path) -> None:
    yard.write("in/boat.py")
    (yard.root / "link").symlink_to(outside)
    (yard.root / "in" / "link.py").symlink_to(outside / "secret.py")
    (yard.root / "in" / "folder.py").mkdir()
    os.mkfifo(yard.root / "in" / "pipe.py")
    assert tree.read(yard.root, "in/boat.py") == BOAT.encode()
    for path in ("link/secret.py", "in/link.py", "in/folder.py", "in/pipe.py", "in/none.py", "in/boat.py/x.py"):
        with pytest.raises(OSError):  # noqa: PT011 -- the system's words
            tree.read(yard.root, path)


async def test_what_is_no_plain_file_is_passed_over(yard: Yard) -> None:
    os.mkfifo(yard.root / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(yard.root / "s.py"))
        yard.write("boat.py")
        assert await yard.places("sail") == ["boat.py:4-5 method Boat.sail"]


@pytest.mark.parametrize(
    "path",
    [
        ".git/boat.py", ".hidden.py", "a/.venv/lib/boat.py", "node_modules/m/boat.js", "a/__pycache__/boat.py",
        "build/boat.py",
        "target/boat.rs", "dist/boat.js", "vendor/boat.go", "boat.min.js", "README.md", "boat", "boat.py.orig", "py",
    ],
)  # fmt: skip
async def test_what_nobody_wrote_and_what_is_no_source_is_passed_over(yard: Yard, path: str) -> None:
    yard.write(path, "function sail() {}\ndef sail(): pass\nfn sail() {}\nfunc sail() {}\n")
    assert await yard.places("sail") == []


async def test_folders_that_say_what_they_are_are_passed_over(yard: Yard) -> None:
    yard.write("my-environment/pyvenv.cfg", "home = /usr\n")
    yard.write("my-environment/lib/boat.py")
    yard.write("cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
    yard.write("cache/boat.py")
    assert await yard.places("sail") == []


async def test_plain_names_in_the_gitignore_at_the_root_are_passed_over(yard: Yard) -> None:
    lines = ["# made", "generated/", "/top.py", "deep/inner", "only.py  ", "", "*.tmp.py", "kept/", "!kept/", "**/any"]
    yard.write(".gitignore", "\n".join(lines))
    for path in ("generated/a.py", "x/generated/a.py", "top.py", "deep/inner/a.py", "x/only.py", "x/any/a.py"):
        yard.write(path)
    shown = ["generated.py", "kept/a.py", "x/deep/inner/a.py", "x/top.py", "y.tmp.py"]
    for path in shown:
        yard.write(path)
    assert [place.partition(":")[0] for place in await yard.places("sail")] == shown


async def test_an_edit_of_the_gitignore_is_seen(yard: Yard) -> None:
    yard.write("made/boat.py")
    assert await yard.places("sail") == ["made/boat.py:4-5 method Boat.sail"]
    yard.write(".gitignore", "made\n")
    assert await yard.places("sail") == []


@pytest.mark.parametrize(
    "name",
    ["a b.py", "größe.py", "日本.py", "a:1-2.py", "a@00000000.py", "-rf.py", "'q'.py", "x].py", "$(id).py", "a\\b.py"],
)
async def test_odd_names_are_found_and_their_places_load(yard: Yard, name: str) -> None:
    yard.write(f"odd dir/{name}")
    told = await yard.search("sail")
    place = told.text.splitlines()[1].removesuffix(" method Boat.sail")
    assert place.startswith(f"odd dir/{name}:4-5@")
    assert body(await yard.load(place)) == "    def sail(self, speed):\n        return speed\n"


@pytest.mark.parametrize("name", [b"line\nbreak.py", b"esc\x1b[31m.py", b"latin\xe4.py", b"rtl\xe2\x80\xae.py"])
async def test_names_that_cannot_stand_in_a_text_are_passed_over(yard: Yard, name: bytes) -> None:
    yard.write(os.fsdecode(name))
    yard.write("good.py")
    assert await yard.places("sail") == ["good.py:4-5 method Boat.sail"]


async def test_large_and_binary_files_are_passed_over_and_counted(yard: Yard, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "proxy.workspaces")
    yard.write("large.py", "def big(): pass\n" + "#" * 1_000_000)
    yard.write("binary.py", b"def bin(): pass\n\0")
    (yard.root / "link.py").symlink_to("good.py")
    yard.write("good.py")
    assert await yard.places("b") == ["good.py:1-8 class Boat"]
    assert caplog.messages == ["workspace yard is indexed: 2 files, 4 definitions; left out: 1 binary, 1 large, 1 link"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
async def test_unreadable_files_and_folders_are_passed_over(yard: Yard) -> None:
    yard.write("good.py")
    yard.write("closed.py").chmod(0)
    yard.write("folder/boat.py").parent.chmod(0)
    assert await yard.places("sail") == ["good.py:4-5 method Boat.sail"]
    (yard.root / "closed.py").chmod(0o600)
    (yard.root / "folder").chmod(0o700)
    assert len(await yard.places("sail")) == 3


async def test_what_cannot_be_opened_is_passed_over_until_it_can(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for those who run as root, who may open everything."""
    yard.write("good.py")
    yard.write("closed.py")
    yard.write("folder/boat.py")
    read, listed = tree.read, tree._listed

    def refused(root: Path, path: str, most: int = 10**6) -> bytes:
        if path == "closed.py":
            raise PermissionError(13, "Permission denied")
        return read(root, path, most)

    def closed(root: Path, folder: str) -> list[os.DirEntry[str]]:
        if folder == "folder":
            raise PermissionError(13, "Permission denied")
        return listed(root, folder)

    with monkeypatch.context() as patch:
        patch.setattr("proxy.workspaces.index.read", refused)
        patch.setattr(tree, "_listed", closed)
        assert await yard.places("sail") == ["good.py:4-5 method Boat.sail"]
    assert len(await yard.places("sail")) == 3


@pytest.mark.parametrize("bounds", [{"most_files": 3}, {"most_symbols": 12}])
async def test_bounds_are_kept_and_told_once(
    yard: Yard, bounds: dict[str, int], caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(10):
        yard.write(f"m{number}.py")
    workspace = Workspace("big", yard.root, **bounds)
    try:
        for _ in range(3):
            assert await workspace.current() == "whole"
        matches, _ = await workspace.matching(queried("sail"), 100)
    finally:
        await workspace.close()
    assert [path for _, path, _ in matches] == ["m0.py", "m1.py", "m2.py"]
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("workspace big is too large, so only a part of it is indexed (")
