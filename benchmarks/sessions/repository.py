"""A git repository's history, read by `git` alone: the checkout's own files and its index are never looked at."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_UNREAD = (".lock", ".json", ".svg", ".png", ".csv", ".po", ".min.js", ".ipynb")
"""Endings of files that an agent of ours neither reads nor writes: data, and what tools wrote."""
_MOST_LINES = 3_000
_SETTINGS = ("core.quotePath=off", "core.abbrev=10", "color.ui=never", "log.showSignature=false",
             "diff.algorithm=myers", "diff.interHunkContext=0", "diff.noprefix=false")  # fmt: skip
"""A user's own settings must not show in a session."""
_HUNK = re.compile(r"^@@ -(\d+)\S* \+(\d+)\S* @@", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a difference: the lines before and after, and the first line's number on each side."""

    old_start: int
    new_start: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit with one parent."""

    id: str
    parent: str
    message: str
    written: tuple[str, ...]
    """Files that it adds."""
    changed: tuple[str, ...]
    """Files that it changes."""

    @property
    def subject(self) -> str:
        return self.message.splitlines()[0]


@dataclass(frozen=True, slots=True)
class Repository:
    """What can be asked of the repository at a path. Raises CalledProcessError where git refuses."""

    root: Path

    def commits(self, latest: int) -> list[Commit]:
        """The latest commits that write or change text and have one parent, oldest first."""
        log = self.git("log", "--no-merges", "--format=%H %P%x00%B%x1e").split("\x1e")
        made = (self._commit(entry.strip()) for entry in log if entry.strip())
        found = [commit for commit in made if commit and commit.written + commit.changed]
        return found[:latest][::-1]

    def paths(self, commit: str) -> list[str]:
        """Every file of text."""
        return [path for path in self._tree(commit) if not path.endswith(_UNREAD)]

    def lines(self, commit: str, path: str) -> list[str]:
        """A file's lines; none where it holds no text, is very long or does not exist."""
        blob = self._tree(commit).get(path)
        text = self.git("show", blob) if blob else ""
        lines = [] if "\x00" in text else text.splitlines()
        return lines if len(lines) <= _MOST_LINES else []

    def hunks(self, commit: str, path: str) -> list[Hunk]:
        """What a commit changes in a file, top to bottom, with three lines around each place."""
        shown = self.diff(commit, path)
        starts = list(_HUNK.finditer(shown))
        ends = [match.start() for match in starts[1:]] + [len(shown)]
        return [_hunk(match, shown[match.end() : end]) for match, end in zip(starts, ends, strict=True)]

    def diff(self, commit: str, *paths: str) -> str:
        """`git diff` of these files as it stood before the commit was made."""
        return self.git("show", "--format=", "--no-ext-diff", "--no-renames", "-U3", commit, "--", *paths).strip("\n")

    def log(self, commit: str, count: int) -> str:
        """`git log --stat` of so many commits up to this one."""
        return self.git(
            "log", "--format=medium", "--date=short", "--stat=100", "--no-renames", f"-{count}", commit
        ).strip("\n")

    def git(self, *arguments: str) -> str:
        """What a git command prints."""
        return _git(self.root, *arguments)

    def _commit(self, entry: str) -> Commit | None:
        ids, _, message = entry.partition("\x00")
        id_, *parents = ids.split()
        if len(parents) != 1 or not message.strip():
            return None
        rows = self.git("show", "--format=", "--name-status", "--no-renames", id_).splitlines()
        named = [row.split("\t", 1) for row in rows if not row.endswith(_UNREAD)]
        written = tuple(path for did, path in named if did == "A")
        return Commit(id_, parents[0], message.strip(), written, tuple(path for did, path in named if did == "M"))

    def _tree(self, commit: str) -> dict[str, str]:
        return dict(_entries(self.git("ls-tree", "-r", "--full-tree", commit)))


@cache
def _git(root: Path, *arguments: str) -> str:
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    command = ["git", "-C", str(root), *settings, "--no-pager", *arguments]
    run = subprocess.run(command, capture_output=True, check=True)
    return run.stdout.decode("utf-8", "replace")


def _entries(listing: str) -> Iterator[tuple[str, str]]:
    """Path and blob of each file, links and submodules left out."""
    for line in listing.splitlines():
        about, _, path = line.partition("\t")
        mode, _, blob = about.split()
        if mode.startswith("100"):
            yield path, blob


def _hunk(match: re.Match[str], body: str) -> Hunk:
    lines = body.split("\n")[1:]
    old = tuple(line[1:] for line in lines if line[:1] in (" ", "-"))
    new = tuple(line[1:] for line in lines if line[:1] in (" ", "+"))
    return Hunk(int(match[1]), int(match[2]), old, new)
