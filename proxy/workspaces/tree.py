"""A folder's tree of source files, as it is now, and the bytes of one of them; nothing here follows a link.

A file that a walk has found may be a link out by the time it is read: every part of its path is opened from the folder
above it, and none may be a link.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from proxy.workspaces.languages import language_of_file
from proxy.workspaces.passed_over import TOKENS, PassedOver, passed_over

MOST_FILES = 50_000
MOST_ENTRIES = 1_000_000
LARGEST_FILE = 1_000_000
_LARGEST_GITIGNORE = 100_000

Stamp = tuple[int, int, int, int]
"""When the content and the file were changed (ns), its size and inode: as long as these stay, so does its text."""


@dataclass(slots=True)
class Tree:
    """The source files by relative path, in order; what was left out, by reason; whether all was looked at."""

    files: dict[str, Stamp] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    is_whole: bool = True
    entries: int = 0


def walk(root: Path, most_files: int = MOST_FILES) -> Tree:
    """All source files below `root`. OSError where `root` itself cannot be listed."""
    tree = Tree()
    apart = passed_over(_gitignore(root))
    waiting = [""]
    while waiting and tree.is_whole:
        folder = waiting.pop()
        try:
            entries = _listed(root, folder)
        except OSError:
            if not folder:
                raise
            tree.skipped["unreadable"] += 1
            continue
        if folder and any(entry.name in TOKENS for entry in entries):
            continue
        below = [path for entry in entries if (path := _met(tree, folder, entry, apart, most_files))]
        waiting.extend(reversed(below))
    return tree


def _listed(root: Path, folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(root / folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _met(tree: Tree, folder: str, entry: os.DirEntry[str], apart: PassedOver, most_files: int) -> str | None:
    """Take one entry in; the path of a folder that is to be looked into."""
    tree.entries += 1
    tree.is_whole = tree.is_whole and tree.entries <= MOST_ENTRIES
    path = f"{folder}/{entry.name}" if folder else entry.name
    try:
        if entry.is_symlink():
            tree.skipped["link"] += 1
        elif entry.is_dir(follow_symlinks=False):
            return None if apart.has(path, entry.name, is_folder=True) else _told(tree, path)
        elif language_of_file(entry.name) and not apart.has(path, entry.name, is_folder=False) and _told(tree, path):
            _take(tree, path, entry.stat(follow_symlinks=False), most_files)
    except OSError:
        tree.skipped["unreadable"] += 1
    return None


def _told(tree: Tree, path: str) -> str | None:
    """The path, if it can stand in a text: one with line breaks or broken characters cannot."""
    if path.isprintable():
        return path
    tree.skipped["name"] += 1
    return None


def _take(tree: Tree, path: str, found: os.stat_result, most_files: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        return
    if found.st_size > LARGEST_FILE:
        tree.skipped["large"] += 1
    elif len(tree.files) >= most_files:
        tree.is_whole = False
    else:
        tree.files[path] = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def read(root: Path, path: str, most: int = LARGEST_FILE) -> bytes:
    """The file below `root`, at most so many bytes of it. OSError where it is gone, or not a plain file any more."""
    with _opened(root, path) as file:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(f"{path} is no plain file")
        pieces: list[bytes] = []
        while most > 0 and (piece := os.read(file, most)):
            pieces.append(piece)
            most -= len(piece)
        return b"".join(pieces)


@contextmanager
def _opened(root: Path, path: str) -> Iterator[int]:
    *folders, name = path.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    finally:
        os.close(here)
    try:
        yield file
    finally:
        os.close(file)


def _gitignore(root: Path) -> str:
    try:
        return read(root, ".gitignore", _LARGEST_GITIGNORE).decode("utf-8", "replace")
    except OSError:
        return ""
