"""Test runs: pytest, unittest, Django, jest, vitest, mocha, go test, cargo test, Maven and their like.

What failed stays, with the assertion's diff and the program's own frames; so does the runner's own summary. Tests
that passed leave first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from policies.reducers.errors import SUCCESS, error_lines
from policies.reducers.order import around, matching, without
from policies.reducers.reducer import Outline, Ranking, Reducer
from policies.reducers.traces import LONGEST, frames, own_frames, raised

_SUMMARY = re.compile(
    r"=+ (?:.*\b\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|warnings?)\b.*|no tests ran.*"
    r"|tests finished.*) =*$"
    r"|\d+ (?:passed|failed|errors?|skipped)\b.* in [\d.]+s"
    r"|Ran \d+ tests? in |OK(?: \(.*\))?$|FAILED \((?:failures|errors|skipped|expected|unexpected)"
    r"|\s*Tests?:?\s+\d+ (?:passed|failed|skipped|todo|total)|\s*Test (?:Suites|Files):?\s+\d+ |Snapshots:\s+\d+ "
    r"|\s+\d+ (?:passing|failing|pending)\b"
    r"|(?:ok|FAIL|---)\s+\S+\s+(?:\d+\.\d+s|\(cached\)|\[build failed\])|FAIL$|DONE \d+ tests"
    r"|test result: |(?:\[\w+\] )?Tests run: \d+, Failures: \d+|\d+ examples?, \d+ failures?"
)
_START = re.compile(
    r"=+ test session starts =+|collected \d+ items|=+ (?:FAILURES|ERRORS|short test summary info|warnings summary) =+"
    r"|(?:FAIL|ERROR): \w+|Creating test database|\s*(?:PASS|FAIL)\s+\S+\.\w+|\s*RUN  v\d|=== RUN |\s*--- (?:FAIL"
    r"|PASS|SKIP): "
    r"|running \d+ tests?$|\[INFO\]  T E S T S|\[INFO\] Running |test \S+ \.\.\. |\S+ \([\w.]+\) \.\.\. "
    r"|\S+::\S+ (?:PASSED|FAILED|ERROR|SKIPPED)"
    r"|not ok \d|ok \d+ - |_{5,} \S.* _{5,}$|(?:FAILED|ERROR) \S+::|TAP version|[.FEsx]{10,}(?:\s+\[\s*\d+%\])?$"
)
_HEADING = re.compile(
    r"_{3,} \S.* _{3,}$|(?:FAIL|ERROR): \S|\s*--- FAIL: |\s*● |---- .+ stdout ----$|test \S+ \.\.\. FAILED|not ok \d"
    r"|\s*(?:FAIL|FAILED|ERROR)\s+\S+(?:::|\.\w+|\s)|\s+\d+\) "
)
_POINTED = re.compile(r">\s|\s*>\s+\d+ \||\s+\|\s+\^|E(?:\s{2,}|$)")
_COMPARED = re.compile(
    r"\s*(?:left|right|expected|actual|received|got|want(?:ed)?|have|but was|diff(?:erence)?|error trace|messages)\s*:"
    r"|\s*(?:-|\+) (?:Expected|Received|expected|received|actual)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(r"\s{0,12}[-+?](?:\s|[^\s=+-])|\s{0,12}@@ .* @@")
_GO_PLACE = re.compile(r"\s+\S+\.go:\d+: ")
_GO_VERDICT = re.compile(r"\s*(?:=== RUN|--- (PASS|SKIP|FAIL):)")
REACH = 60
"""A changed line belongs to the assertion's diff while no more than so many lines part it from the last one."""
LAST = 5
"""So many summaries at the end stay; earlier ones are of single files and packages."""
MANY = 2
"""So many lines in a runner's own words make a test run; one does at the end, where summaries stand."""


def _recognises(lines: Sequence[str]) -> bool:
    told = [
        number
        for number, line in enumerate(lines)
        if len(line) <= LONGEST and (_SUMMARY.match(line) or _START.match(line))
    ]
    if any(line.startswith("```") for line in lines):
        return False
    return len(told) >= MANY or (len(told) == 1 and len(lines) - told[0] <= 5)


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    failures = [n for n in matching(lines, _HEADING.match) if not SUCCESS.search(lines[n])]
    errors = error_lines(lines)
    found = frames(lines)
    summary = matching(lines, _SUMMARY.match)
    compared = list(_assertions(lines, sorted({*failures, *errors})))
    must = dict.fromkeys(
        [
            *errors,
            *failures,
            *compared,
            *_go_messages(lines),
            *summary[-LAST:],
            *raised(lines, found),
            *own_frames(found),
        ]
    )
    passed = matching(lines, SUCCESS.search)
    foreign = [line for frame in found for line in frame.lines]
    then = [*summary, *around([*errors, *failures], len(lines)), *_head(lines), *_blocks(lines, failures), *foreign]
    return Ranking(list(must), without(then, passed))


def _assertions(lines: Sequence[str], marks: Sequence[int]) -> Iterator[int]:
    """The lines that tell what was expected and what came, near one of `marks`."""
    marked = set(marks)
    last = -REACH
    for number, line in enumerate(lines):
        if number in marked:
            last = number
        told = number - last < REACH and len(line) <= LONGEST and (_COMPARED.match(line) or _CHANGED.match(line))
        if told:
            last = number
        if told or _POINTED.match(line):
            yield number


def _go_messages(lines: Sequence[str]) -> Iterator[int]:
    """Messages of `go test` that belong to a failed test; they may stand before or after its verdict."""
    waiting: list[int] = []
    failed = False
    for number, line in enumerate(lines):
        verdict = _GO_VERDICT.match(line)
        if verdict:
            failed = verdict[1] == "FAIL"
            if failed:
                yield from waiting
            waiting = []
        elif _GO_PLACE.match(line[:LONGEST]):
            if failed:
                yield number
            else:
                waiting.append(number)


def _head(lines: Sequence[str]) -> Iterator[int]:
    """How the run was started, and how it ended."""
    yield from range(min(6, len(lines)))
    yield from range(max(0, len(lines) - 6), len(lines))


def _blocks(lines: Sequence[str], failures: Sequence[int]) -> Iterator[int]:
    """The lines that follow each failure's heading, up to the next one: source, captured output."""
    for start, end in pairwise([*failures, len(lines)]):
        yield from range(start + 1, min(end, start + 1 + REACH))


TEST_RUN = Reducer("test run", _recognises, _rank)
