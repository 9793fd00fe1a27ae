"""Test runs that never ran: the names and the code lines in them are the repository's own."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.sessions.remarks import names_in
from benchmarks.sessions.repository import Hunk

_CASE = re.compile(r"^(\s*)(?:async )?def (test_\w+)\(", re.MULTILINE)
_WIDTH = 80


@dataclass(frozen=True, slots=True)
class TestFile:
    """A file of tests by its path."""

    path: str
    lines: Sequence[str]

    __test__ = False  # pytest would take the name for a class of tests

    def cases(self) -> list[str]:
        return [match[2] for match in _CASE.finditer("\n".join(self.lines))]

    def source(self, case: str) -> list[tuple[int, str]]:
        """The numbered lines of a test, up to 14 of them."""
        start = next(index for index, line in enumerate(self.lines) if re.match(rf"\s*(async )?def {case}\(", line))
        return [(number, line) for number, line in enumerate(self.lines[start : start + 14], start + 1) if line.strip()]


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that fails, as pytest shows it, and where."""

    file: TestFile
    case: str
    shown: tuple[str, ...]
    reason: str
    place: str


def failure(rng: random.Random, file: TestFile, path: str, hunk: Hunk) -> Failure:
    """A test that still meets the old lines of a hunk, in the file at a path, where it wants the new ones."""
    old, new, line = hunk.old, hunk.new, hunk.new_start
    case = rng.choice(file.cases())
    source = file.source(case)
    at = max((index for index, (_, text) in enumerate(source) if "assert" in text), default=len(source) - 1)
    body = [f"{'>' if index == at else ' '}   {text}" for index, (_, text) in enumerate(source[: at + 1])]
    gone = [text.strip() for text in old if text not in new and text.strip()][:6]
    wanted = [text.strip() for text in new if text not in old and text.strip()][:6]
    name = rng.choice(names_in("\n".join([*new, *old])) or [case])
    reason = rng.choice((
        f"AssertionError: assert '{(gone or ['None'])[0][:50]}' == '{(wanted or ['None'])[0][:50]}'",
        f"AttributeError: 'NoneType' object has no attribute '{name}'",
        f"TypeError: {name}() got an unexpected keyword argument",
        f"KeyError: '{name}'",
    ))  # fmt: skip
    difference = [f"E         - {text}" for text in wanted] + [f"E         + {text}" for text in gone]
    frame = [f"{path}:{line}: in {name}", *(f"    {text.strip()}" for text in list(old)[:3])]
    error = [f"E       {reason}", *(difference if reason.startswith("Assert") else [])]
    last = f"{file.path}:{source[at][0]}: {reason.partition(':')[0]}"
    return Failure(file, case, ("", *body, "", *frame, *error, "", last), reason, f"{path}:{line}")


def run(rng: random.Random, files: Sequence[TestFile], failed: Failure | None = None, *, verbose: bool) -> str:
    """What pytest prints for these files."""
    named = [(file, case) for file in files for case in file.cases()]
    spent = f"in {rng.randint(8, 990) / 100 + len(named) / 40:.2f}s"
    broken = (failed.file.path, failed.case) if failed else None
    lines = _verbose(named, broken) if verbose else _dots(files, broken)
    if not failed:
        return "\n".join([*lines, "", f"{len(named)} passed {spent}"])
    return "\n".join([
        *lines, "", " FAILURES ".center(_WIDTH, "="), f" {failed.case} ".center(_WIDTH, "_"), *failed.shown,
        " short test summary info ".center(_WIDTH, "="),
        f"FAILED {failed.file.path}::{failed.case} - {failed.reason}",
        f"1 failed, {len(named) - 1} passed {spent}",
    ])  # fmt: skip


def _verbose(named: Sequence[tuple[TestFile, str]], broken: tuple[str, str] | None) -> list[str]:
    head = [" test session starts ".center(_WIDTH, "="), f"collected {len(named)} items", ""]
    return head + [
        f"{file.path}::{case} {'FAILED' if (file.path, case) == broken else 'PASSED'} [{100 * at // len(named):3}%]"
        for at, (file, case) in enumerate(named, 1)
    ]


def _dots(files: Sequence[TestFile], broken: tuple[str, str] | None) -> list[str]:
    return [
        f"{file.path} " + "".join("F" if (file.path, case) == broken else "." for case in file.cases())
        for file in files
    ]
