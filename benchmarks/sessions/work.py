"""An agent at work on one commit of a history: what it searches, reads, changes, writes and runs."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from benchmarks.sessions import printed
from benchmarks.sessions.pace import Pace
from benchmarks.sessions.remarks import Remarks, names_in
from benchmarks.sessions.repository import Commit, Hunk, Repository
from benchmarks.sessions.testing import TestFile, failure, run
from benchmarks.sessions.transcript import Call, Transcript

_AROUND = 12
_MOST_HUNKS = 2
_FEW_MATCHES, _MANY_MATCHES = 10, 40
_LONG_READ = 500


def tests_about(repository: Repository, commit: Commit, path: str) -> list[TestFile]:
    """The test files of a commit, those that name a file's module first."""
    stem = PurePosixPath(path).stem
    paths = [one for one in repository.paths(commit.id) if PurePosixPath(one).match("test_*.py")]
    files = (TestFile(one, repository.lines(commit.id, one)) for one in paths)
    return sorted(
        (file for file in files if file.cases()),
        key=lambda file: (file.path != path, not any(stem in line for line in file.lines), file.path),
    )


def tree(repository: Repository, commit: str, folder: str = "") -> list[tuple[str, list[str]]]:
    """Path and lines of every file below a folder."""
    paths = (path for path in repository.paths(commit) if not folder or path.startswith(f"{folder}/"))
    return [(path, repository.lines(commit, path)) for path in paths]


@dataclass
class Work:
    """One session's agent; `known` holds the files that it has read or written in this session."""

    repository: Repository
    transcript: Transcript
    random: random.Random
    remarks: Remarks
    known: set[str] = field(default_factory=set)

    @property
    def pace(self) -> Pace:
        return Pace(self.transcript)

    def bash(self, said: str, command: str, result: str) -> None:
        self.transcript.act(said, Call("bash", {"command": command}, result))

    def search(self, commit: Commit, text: str) -> None:
        """Look for a name of a text in the whole repository."""
        names = names_in(text)
        if not names:
            return
        name, most = self.random.choice(names), _FEW_MATCHES if self.pace.ahead else _MANY_MATCHES
        found = printed.matches(tree(self.repository, commit.parent), name, most)
        self.bash(f"Where is `{name}` used?", f"rg -n {name} | head -{most}", found)

    def read(self, commit: Commit, path: str, line: int) -> str:
        """Read a file around a 0-based line, or as a whole where it is short; what was read."""
        lines, most = self.repository.lines(commit.parent, path), self._lines()
        arguments: dict[str, object] = {"path": path}
        first = 0
        if len(lines) > most:
            first = max(0, min(line - _AROUND, len(lines) - most))
            arguments |= {"offset": first + 1, "limit": most}
        shown = printed.plain(lines, first, most)
        self.transcript.act(self._why(path), Call("read", arguments, shown))
        self.remarks.notice(path, lines[first : first + most], first)
        self.known.add(path)
        return shown

    def change(self, commit: Commit, path: str) -> None:
        """Make a commit's changes to a file; now and then the tests fail before the last of them."""
        hunks = self.repository.hunks(commit.id, path)[:_MOST_HUNKS]
        if not hunks:
            return
        if self.random.random() < 0.6:
            self.search(commit, "\n".join(hunks[0].new))
        seen = "\n".join(hunks[0].old)
        if path not in self.known or self.random.random() < 0.85:
            seen = self.read(commit, path, hunks[0].old_start - 1)
        fails_first = len(hunks) > 1 and path.endswith(".py") and self.random.random() < 0.5
        for number, hunk in enumerate(hunks):
            if fails_first and number == len(hunks) - 1:
                self.fail(commit, path, hunk)
            said = self.remarks.of_change(path, "\n".join(hunk.new)) if number else self.remarks.of_reading(path, seen)
            self._edit(path, hunk, said)
        if fails_first or self.random.random() < 0.5:
            self.check(commit, [path])

    def write(self, commit: Commit, path: str) -> None:
        """Write a file that the commit adds."""
        lines = self.repository.lines(commit.id, path)
        text = "\n".join([*lines, ""])
        said = self.remarks.of_change(path, text)
        done = f"Successfully wrote {len(text.encode())} bytes to {path}"
        self.transcript.act(said, Call("write", {"path": path, "content": text}, done))
        self.remarks.notice(path, lines)
        self.known.add(path)

    def fail(self, commit: Commit, path: str, hunk: Hunk) -> None:
        """Run the tests before a change is whole, and read where they fail."""
        files = self._some(tests_about(self.repository, commit, path))
        if not files:
            return
        failed = failure(self.random, files[0], path, hunk)
        command = f"pytest -x {' '.join(file.path for file in files)}"
        self.bash("", command, run(self.random, files, failed, verbose=not self.pace.ahead))
        lines = self.repository.lines(commit.id, failed.file.path)
        at = max(0, int(failed.shown[-1].split(":")[1]) - 8)
        self.transcript.act(
            f"`{failed.case}` fails at {failed.place}: {failed.reason[:90]}. The test first.",
            Call("read", {"path": failed.file.path, "offset": at + 1, "limit": 24}, printed.plain(lines, at, 24)),
        )

    def check(self, commit: Commit, paths: Iterable[str]) -> None:
        """Run the tests that belong to these files, all green; seldom a long list of them by name."""
        found = [file for path in paths for file in tests_about(self.repository, commit, path)[:8]]
        files = list({file.path: file for file in found}.values())
        long = self.random.random() < 0.08
        chosen = files[:16] if long else self._some(files)
        if chosen:
            self.bash("", f"pytest -v {' '.join(file.path for file in chosen)}", run(self.random, chosen, verbose=True))

    def _some(self, files: Sequence[TestFile]) -> list[TestFile]:
        """The first files, as many as the pace allows to see."""
        chosen: list[TestFile] = []
        for file in files[:5]:
            if chosen and sum(len(one.cases()) for one in [*chosen, file]) > self.pace.cases():
                break
            chosen.append(file)
        return chosen

    def _lines(self) -> int:
        """How many lines to read; seldom a whole long file."""
        return _LONG_READ if self.random.random() < 0.07 else self.pace.lines()

    def _why(self, path: str) -> str:
        return f"Back to {path}." if path in self.known else self.random.choice((f"First {path} as it stands.", ""))

    def _edit(self, path: str, hunk: Hunk, said: str) -> None:
        arguments = {"path": path, "oldText": "\n".join(hunk.old), "newText": "\n".join(hunk.new)}
        self.transcript.act(said, Call("edit", arguments, f"Successfully replaced text in {path}."))
