"""Short coding sessions: one commit as one task, for an agent that sees files through a window of 100 lines."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from benchmarks.sessions import printed
from benchmarks.sessions.remarks import Remarks, names_in
from benchmarks.sessions.repository import Commit, Hunk, Repository
from benchmarks.sessions.testing import failure, run
from benchmarks.sessions.tools import window_tools
from benchmarks.sessions.transcript import Call, Transcript
from benchmarks.sessions.work import tests_about, tree

SESSIONS = 8
_LATEST = 200
FEWEST_TURNS, MOST_TURNS = 15, 40
_LAST_STEPS, _STEPS_OF_A_FILE = 5, 8
_MOST_MATCHES = 60


def short_sessions(root: Path, seed: int, count: Callable[[str], int]) -> Iterator[Transcript]:
    """A session for each of the latest commits that change code, eight at most."""
    repository = Repository(root)
    fit = (commit for commit in reversed(repository.commits(_LATEST)) if _code(repository, commit))
    for commit in list(islice(fit, SESSIONS))[::-1]:
        rng = random.Random(f"short {seed} {commit.id}")
        task = Task(repository, commit, Transcript(window_tools(), rng, count), Remarks(rng))
        task.perform()
        yield task.transcript


def _code(repository: Repository, commit: Commit) -> list[str]:
    """The code whose text a commit changes."""
    return [path for path in commit.changed if path.endswith(".py") and repository.hunks(commit.id, path)]


@dataclass
class Task:
    """One task from the first look to the submission; `lines` is the open file as it stands after the edits."""

    repository: Repository
    commit: Commit
    transcript: Transcript
    remarks: Remarks
    path: str = ""
    lines: list[str] = field(default_factory=list)

    @property
    def random(self) -> random.Random:
        return self.transcript.random

    def perform(self) -> None:
        """Find, see the fault, mend it in one file after the other, hand it in."""
        self.transcript.system(Path(__file__).with_name("texts").joinpath("task.md").read_text())
        self.transcript.user(f"{self.commit.message}\n\nMake this so; some of it is there already.")
        paths = _code(self.repository, self.commit)
        self.random.shuffle(paths)
        hunks = self.repository.hunks(self.commit.id, paths[0])
        self._explore(paths[0], hunks)
        self._reproduce(paths[0], hunks)
        for path in paths:
            if self.transcript.turns + _STEPS_OF_A_FILE <= MOST_TURNS - _LAST_STEPS:
                self._mend(path)
        self._look_further(paths[0])
        self._hand_in(paths)

    def do(self, said: str, tool: str, result: str, /, **arguments: Any) -> None:
        self.transcript.act(said, Call(tool, arguments, result))

    def open(self, said: str, path: str, line: int) -> None:
        """Open a file around a 0-based line."""
        if path != self.path:
            self.path, self.lines = path, self.repository.lines(self.commit.parent, path)
        self.do(said, "open", printed.window(path, self.lines, line), path=path, line=line + 1)
        self.remarks.notice(path, self.lines)

    def _explore(self, path: str, hunks: Sequence[Hunk]) -> None:
        paths = self.repository.paths(self.commit.parent)
        parent, file = str(PurePosixPath(path).parent), PurePosixPath(path).name
        folder = "" if parent == "." else parent
        self.do("What is here?", "bash", printed.listing(paths, folder, 60), command=f"find {parent} -type f")
        found = "\n".join(one for one in paths if one.endswith(file))
        self.do(f"The task touches {file}, I think.", "find_file", found, name=file)
        name = self.random.choice(names_in("\n".join(line for hunk in hunks for line in hunk.old)) or ["def"])
        shown = printed.matches(tree(self.repository, self.commit.parent, folder), name, _MOST_MATCHES)
        self.do(f"`{name}` should lead there.", "search_dir", shown, term=name, folder=parent)
        self.open(self.remarks.of_reading(path, shown), path, hunks[0].old_start - 1)

    def _reproduce(self, path: str, hunks: Sequence[Hunk]) -> None:
        """A script that shows the fault."""
        module = path.removesuffix(".py").replace("/", ".")
        names = names_in("\n".join(hunks[0].new)) or ["main"]
        asserts = [f'assert hasattr(module, "{name}"), "{name} is missing"' for name in names[:5]]
        text = "\n".join([f"import {module} as module", "", *asserts, 'print("as the task wants it")', ""])
        shown = printed.window("reproduce.py", text.splitlines(), 0)
        self.do("First something that shows it.", "create", shown, path="reproduce.py", text=text)
        error = f'Traceback (most recent call last):\n  File "reproduce.py", line 3, in <module>\n    {asserts[0]}\n'
        said = f"With {module} as it stands this should fail."
        self.do(said, "bash", f"{error}AssertionError: {names[0]} is missing", command="python reproduce.py")

    def _mend(self, path: str) -> None:
        """A file's hunks, top to bottom; the tests fail before the last of several."""
        hunks = self.repository.hunks(self.commit.id, path)[:3]
        tests = tests_about(self.repository, self.commit, path)[:3]
        for number, hunk in enumerate(hunks):
            if path != self.path:
                self.open(f"Now {path}.", path, hunk.new_start - 1)
            elif number:
                said = "Further down there is more of it."
                self.do(said, "goto", printed.window(path, self.lines, hunk.new_start - 1), line=hunk.new_start)
            if tests and number and number == len(hunks) - 1:
                failed = failure(self.random, tests[0], path, hunk)
                command = f"pytest -x {tests[0].path}"
                self.do("", "bash", run(self.random, tests[:1], failed, verbose=False), command=command)
            self._edit(hunk)
        if tests:
            command = f"pytest -v {' '.join(file.path for file in tests)}"
            self.do("The tests of it.", "bash", run(self.random, tests, verbose=True), command=command)

    def _edit(self, hunk: Hunk) -> None:
        first, said = hunk.new_start - 1, self.remarks.of_change(self.path, "\n".join(hunk.new))
        self.lines[first : first + len(hunk.old)] = hunk.new
        shown = printed.window(self.path, self.lines, first)
        arguments = {"start": first + 1, "end": first + len(hunk.old), "replacement": "\n".join(hunk.new)}
        self.do(said or f"I change {self.path}:{first + 1}.", "edit", shown, **arguments)

    def _look_further(self, path: str) -> None:
        """Look at more of what stands around, until the session is as long as such sessions are."""
        around = [one for one in self.repository.paths(self.commit.parent) if one.endswith(".py")]
        while self.transcript.turns < FEWEST_TURNS - _LAST_STEPS:
            said = f"Does anything else rely on {path}?"
            self.open(said, self.random.choice(around), 0)

    def _hand_in(self, paths: Sequence[str]) -> None:
        self.do("Once more what failed at first.", "bash", "as the task wants it", command="python reproduce.py")
        self.do("It is not needed any more.", "bash", "", command="rm reproduce.py")
        difference = self.repository.diff(self.commit.id, *paths)
        shown = "\n".join(difference.splitlines()[:150])
        self.do("The whole difference.", "bash", shown, command="git diff")
        self.do(self.remarks.of_reading(paths[0], shown), "submit", "Submitted.")
        self.transcript.say(f"Submitted: {self.commit.subject}.")
