"""A long coding session made from a repository's own history: an agent that does each commit over again.

    python -m benchmarks.from_history OUT.json [--repository PATH] [--turns N] [--seed N]

Real files, real differences, real searches; what the agent says names identifiers of what it read. Tests that it runs
fail now and then, with a traceback of real lines. The same repository and seed give the same session, which
`forebay replay` reads. It stands in for recorded sessions where those are not at hand, and proves nothing beyond that.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Message = dict[str, Any]

SYSTEM = (
    "You are a coding agent in a terminal. You read before you edit, make small edits, run the tests after each of "
    "them, and say in a sentence what you found. Tools: read, edit, write, bash. Paths are relative to the repository. "
) * 4
WHOLE_LINES = 120
"""Files up to this are read whole, others around what changes."""
AROUND = 30
MOST_HUNKS = 6
_NAME = re.compile(r"\b[A-Za-z_]\w*[_A-Z0-9]\w{2,}\b")


@dataclass
class Session:
    """The messages so far."""

    random: random.Random
    messages: list[Message] = field(default_factory=list)
    turns: int = 0

    def user(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def act(self, said: str, tool: str, arguments: dict[str, Any], result: str) -> None:
        """One call and what came of it."""
        id_ = f"call_{self.turns}"
        call = {"id": id_, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        self.messages.append({"role": "assistant", "content": said or None, "tool_calls": [call]})
        self.messages.append({"role": "tool", "tool_call_id": id_, "content": result})
        self.turns += 1

    def names_of(self, text: str, most: int = 3) -> str:
        """A few identifiers of a text, for what the agent says of it."""
        found = sorted(set(_NAME.findall(text)))
        return ", ".join(f"`{name}`" for name in self.random.sample(found, min(most, len(found)))) or "nothing of note"


@dataclass(frozen=True)
class History:
    """A repository by its commits."""

    root: Path

    def git(self, *arguments: str) -> str:
        run = subprocess.run(["git", "-C", str(self.root), *arguments], capture_output=True, check=True)
        return run.stdout.decode("utf-8", "replace")

    def commits(self) -> list[tuple[str, str]]:
        """Hash and subject of every commit that has a parent, oldest first."""
        lines = self.git("log", "--reverse", "--no-merges", "--format=%H %s").splitlines()[1:]
        return [(line[:40], line[41:]) for line in lines]

    def changed(self, commit: str) -> list[tuple[str, str]]:
        """What a commit did (A, M, D) to which file."""
        rows = self.git("diff-tree", "-r", "--no-commit-id", "--name-status", "--no-renames", commit).splitlines()
        return [(row[0], row[2:]) for row in rows if not row.endswith((".lock", ".json", ".png"))]

    def text(self, commit: str, path: str) -> list[str]:
        return self.git("show", f"{commit}:{path}").splitlines()

    def found(self, commit: str, pattern: str) -> str:
        """What a search prints, its first 60 lines."""
        try:
            lines = self.git("grep", "-n", "-F", pattern, commit, "--", "*.py", "*.md", "*.yaml").splitlines()
        except subprocess.CalledProcessError:
            return "(no match)"
        return "\n".join(line.split(":", 1)[1][:200] for line in lines[:60])


def numbered(lines: list[str], start: int, end: int) -> str:
    return "\n".join(f"{number:5}\t{line}" for number, line in enumerate(lines[start:end], start + 1))


def redo(session: Session, history: History, commit: str, subject: str, most_turns: int) -> None:
    """One commit as an agent would make it."""
    session.user(f"{subject}. Keep the tests green.")
    session.act("I look at what is there.", "bash", {"command": "git log --stat -3"},
                history.git("log", "--stat", "-3", "--format=%h %an %s", f"{commit}^"))  # fmt: skip
    changed = history.changed(commit)
    session.random.shuffle(changed)
    for did, path in changed:
        if session.turns >= most_turns:
            return
        if did == "A":
            _write(session, history, commit, path)
        elif did == "M":
            _edit(session, history, commit, path)
        if session.random.random() < 0.4:
            _test(session, history, commit, path)
    session.act("All of it once more, and the difference as a whole.", "bash", {"command": "git diff --stat"},
                history.git("diff", "--stat", f"{commit}^", commit))  # fmt: skip


def _write(session: Session, history: History, commit: str, path: str) -> None:
    lines = history.text(commit, path)
    text = "\n".join(lines)
    if session.random.random() < 0.5:
        name = session.random.choice(sorted(set(_NAME.findall(text))) or ["def"])
        session.act(
            f"Is there a {name} already?", "bash", {"command": f"rg -n {name}"}, history.found(f"{commit}^", name)
        )
    said = f"Now {path}, with {session.names_of(text)}."
    session.act(said, "write", {"path": path, "content": text}, f"Wrote {len(text)} bytes to {path}")


def _edit(session: Session, history: History, commit: str, path: str) -> None:
    before, after = history.text(f"{commit}^", path), history.text(commit, path)
    hunks = [
        op for op in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if op[0] != "equal"
    ]
    if not hunks:
        return
    first, last = max(0, hunks[0][1] - AROUND), min(len(before), hunks[-1][2] + AROUND)
    arguments: dict[str, Any] = {"path": path}
    if len(before) <= WHOLE_LINES:
        first, last = 0, len(before)
    else:
        last = min(last, first + WHOLE_LINES)
        arguments |= {"offset": first + 1, "limit": last - first}
    read = numbered(before, first, last)
    session.act(f"I read {path}.", "read", arguments, read)
    for _, old_start, old_end, new_start, new_end in hunks[:MOST_HUNKS]:
        old = "\n".join(before[max(0, old_start - 2) : old_end + 2])
        new = "\n".join(
            [*before[max(0, old_start - 2) : old_start], *after[new_start:new_end], *before[old_end : old_end + 2]]
        )
        said = f"{path} has {session.names_of(old)}; I change that, with {session.names_of(new, 2)}."
        session.act(said, "edit", {"path": path, "oldText": old, "newText": new},
                    f"Edited {path}: 1 replacement at line {old_start + 1}")  # fmt: skip


def _test(session: Session, history: History, commit: str, path: str) -> None:
    """A run of the tests: mostly green, now and then a failure in the file at hand."""
    every = history.git("ls-tree", "-r", "--name-only", commit).splitlines()
    tests = [name for name in every if "/test_" in name and name.endswith(".py")]
    if not tests:
        return
    chosen = session.random.sample(tests, min(len(tests), session.random.randint(2, 12)))
    verbose = [f"{name}::{case} PASSED" for name in chosen for case in _cases(history, commit, name)]
    lines = history.text(commit, path)
    session.random.shuffle(verbose)
    head = ["============================= test session starts ==============================", *verbose[:80]]
    if session.random.random() < 0.35 and len(lines) > 20 and path.endswith(".py"):
        at = session.random.randrange(10, len(lines) - 5)
        name = session.random.choice(sorted(set(_NAME.findall("\n".join(lines)))) or ["value"])
        trace = ["=================================== FAILURES ===================================",
                 *(f"    {line}" for line in lines[at - 4 : at]), f">   {lines[at]}",
                 f"E   AssertionError: assert {at} == {at + 3}", f"E    +  where {at} = {name}", "",
                 f"{path}:{at + 1}: AssertionError",
                 f"FAILED {chosen[0]}::test_{name.lower()} - AssertionError: assert {at} == {at + 3}"]  # fmt: skip
        end = f"========================= 1 failed, {len(verbose)} passed in 2.41s ========================="
        session.act("", "bash", {"command": f"pytest -v {' '.join(chosen)}"}, "\n".join([*head, *trace, end]))
        said = f"`{name}` is off by three at {path}:{at + 1}."
        where = {"path": path, "offset": at - 9, "limit": 20}
        session.act(said, "read", where, numbered(lines, at - 10, at + 10))
        return
    end = f"============================= {len(verbose)} passed in 2.38s ============================="
    session.act("", "bash", {"command": f"pytest -v {' '.join(chosen)}"}, "\n".join([*head, end]))


def _cases(history: History, commit: str, path: str) -> Iterator[str]:
    for line in history.text(commit, path):
        if match := re.match(r"\s*(?:async )?def (test_\w+)", line):
            yield match[1]


def session_of(root: Path, turns: int, seed: int) -> list[Message]:
    """The messages of a session of at least so many turns, or of the whole history."""
    session, history = Session(random.Random(seed)), History(root)
    session.messages.append({"role": "system", "content": SYSTEM})
    for commit, subject in history.commits():
        if session.turns >= turns:
            break
        redo(session, history, commit, subject, turns)
    session.messages.append({"role": "assistant", "content": "Done: all of it is green."})
    return session.messages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--repository", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--turns", type=int, default=450)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.out.write_text(json.dumps(session_of(arguments.repository, arguments.turns, arguments.seed)))


if __name__ == "__main__":
    main()
