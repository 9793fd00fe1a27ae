"""A long coding session: one agent, one user, a stretch of history done over again commit by commit."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from benchmarks.sessions import printed
from benchmarks.sessions.pace import TURNS
from benchmarks.sessions.remarks import Remarks
from benchmarks.sessions.repository import Commit, Repository
from benchmarks.sessions.tools import coding_tools
from benchmarks.sessions.transcript import Transcript
from benchmarks.sessions.work import Work

_WISHES = ("{wish}", "{wish}. Keep the tests green.", "Next: {wish}", "Please do this one now: {wish}. Small steps.")
_LAST_STEPS = 3
"""About what the end of a commit's work takes."""


def long_session(root: Path, commits: int, seed: int, count: Callable[[str], int]) -> Transcript:
    """A session over the latest commits; where the history is short, it ends with the history."""
    rng = random.Random(f"long {seed}")
    transcript = Transcript(coding_tools(), rng, count)
    repository = Repository(root)
    work = Work(repository, transcript, rng, Remarks(rng))
    transcript.system(Path(__file__).with_name("texts").joinpath("coding.md").read_text())
    stretch = repository.commits(commits)
    for number, commit in enumerate(stretch, start=1):
        if work.pace.over:
            break
        _redo(work, commit, until=TURNS * number // len(stretch) - _LAST_STEPS)
    return transcript


def _redo(work: Work, commit: Commit, until: int) -> None:
    """One commit from the wish to the report, until about this turn; the rest of a large commit is left out."""
    work.transcript.user(work.random.choice(_WISHES).format(wish=commit.message))
    _look_around(work, commit)
    paths = [*commit.written, *commit.changed]
    work.random.shuffle(paths)
    done: list[str] = []
    for path in paths:
        if (work.transcript.turns >= until and done) or work.pace.over:
            break
        if path in commit.changed:
            work.change(commit, path)
        elif 0 < len(work.repository.lines(commit.id, path)) <= work.pace.longest_file():
            work.write(commit, path)
        else:
            continue
        done.append(path)
    _finish(work, commit, done)


def _look_around(work: Work, commit: Commit) -> None:
    """What an agent does before it begins: what came last, what is where, what the documents say."""
    path = work.random.choice([*commit.written, *commit.changed])
    documents = [one for one in work.repository.paths(commit.parent) if one.endswith((".md", ".rst"))]
    match work.random.choice(("log", "list", "document", "search")):
        case "log":
            work.bash("What came last?", "git log --stat -3", work.repository.log(commit.parent, 3))
        case "document" if documents:
            chosen = work.random.choice(documents)
            said = work.read(commit, chosen, 0)
            work.search(commit, said)
        case "search":
            work.search(commit, "\n".join(work.repository.lines(commit.id, path)[:80]))
        case _:
            folder = str(PurePosixPath(path).parent)
            shown = printed.listing(work.repository.paths(commit.parent), "" if folder == "." else folder)
            work.bash("", f"find {folder} -type f | sort", shown)


def _finish(work: Work, commit: Commit, done: list[str]) -> None:
    """Tests, linters and the difference, then a report to the user."""
    work.check(commit, done[:4])
    if done:
        difference = work.repository.diff(commit.id, done[-1])
        command = f"ruff check . && mypy {' '.join(done[:6])} && git diff {done[-1]}"
        clean = f"All checks passed!\nSuccess: no issues found in {len(done)} source files"
        shown = "\n".join([clean, *difference.splitlines()[: work.pace.lines()]])
        work.bash("Linters, and my own difference once more.", command, shown)
    names = work.remarks.of_reading(done[-1], "\n".join(work.repository.lines(commit.id, done[-1]))) if done else ""
    work.transcript.say(f"Done: {commit.subject}. Changed: {', '.join(done) or 'nothing'}. {names} Tests are green.")
