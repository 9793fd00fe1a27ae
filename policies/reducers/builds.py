"""Build, compiler and linter output: cargo, gcc, clang, tsc, javac, Maven, mypy, ruff, eslint, npm, make.

Every error stays with its place, and so do findings of linters while they are few. Warnings come next, then what
the compiler shows around them; lines that only say what is being built leave first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.reducers.errors import error_lines
from policies.reducers.order import around, matching, without
from policies.reducers.reducer import Outline, Ranking, Reducer
from policies.reducers.traces import LONGEST, evidence

_PLACE = r"(?:[A-Za-z]:)?[^\s:()\[\]]{1,300}"
_DIAGNOSTIC = re.compile(
    rf"{_PLACE}:\d+:(?:\d+:)? (?:fatal )?(?P<level>error|warning|note|info|remark)\b"
    rf"|{_PLACE}\(\d+,\d+\): (?P<tsc>error|warning) "
    rf"|{_PLACE}:\d+:\d+ - (?P<pretty>error|warning) "
    rf"|{_PLACE}:\d+:\d+: (?P<finding>[A-Z]{{1,4}}\d{{2,5}}) "
    rf"|(?P<rust>error|warning)(?:\[[A-Z]\d+\])?: "
    rf"|\s+\d+:\d+\s+(?P<eslint>error|warning)\s+\S"
    rf"|(?:\[(?P<maven>ERROR|WARNING)\]) \S"
    rf"|(?P<ruff>[A-Z]{{1,4}}\d{{2,5}}) (?:\[\*\] )?\S"
    rf"|(?P<cmake>CMake Error|CMake Warning)\b|(?P<npm>npm ERR!|npm error|npm warn|npm WARN)"
    rf"|(?P<make>g?make(?:\[\d+\])?: \*\*\*)|(?P<ld>\S*ld(?:\.\w+)?: |\S*collect2: )"
)
_SHOWN = re.compile(r"\s*(?:-->|\d+ \||\|(?:\s|$)|= (?:note|help): |:::|[~^]+$|symbol:|location:|~)")
_PROGRESS = re.compile(
    r"\s+(?:Compiling|Checking|Downloaded|Downloading|Finished|Fresh|Building|Updating|Documenting) \S+"
    r"|(?:g?make(?:\[\d+\])?: (?:Entering|Leaving) )|\[\s*\d+%\] |\[\d+/\d+\] |\[INFO\] (?:---|Building|Compiling"
    r"|BUILD|Scanning|Total time|Finished at)"
    r"|(?:Collecting|Downloading|Installing|Using cached|Requirement already satisfied|Successfully installed)\b"
    r"|#\d+ (?:\[|\d+\.\d+ |DONE|CACHED|ERROR)|Step \d+/\d+ : |(?:gcc|g\+\+|cc|clang|clang\+\+|javac|rustc|ar) -\S"
    r"|> Task :\S"
    r"|(?:Found|found) \d+ errors?|Success: no issues found|All checks passed|\d+ (?:errors?|warnings?) generated"
    r"|\u2716 \d+ problems?"
    r"|(?:-- )(?:Configuring|Generating|Build files|Looking for|Performing|Check|Found|The \w+ compiler)"
)
_SUMMARY = re.compile(
    r"(?:Found|found) \d+ errors?|Success: no issues|All checks passed|\d+ (?:errors?|warnings?)\b|\u2716 \d+ problems?"
    r"|\s+Finished \S|\[INFO\] BUILD|BUILD (?:SUCCESSFUL|FAILED)|\[INFO\] Total time|Successfully (?:installed|built)"
)
_WARNING = {"warning", "note", "info", "remark", "WARNING", "CMake Warning", "npm warn", "npm WARN"}

FINDINGS = 60
"""More findings than this are a list to be worked through: those that no error word marks need not all stay."""


def _recognises(lines: Sequence[str]) -> bool:
    told = sum(1 for line in lines if len(line) <= LONGEST and (_DIAGNOSTIC.match(line) or _PROGRESS.match(line)))
    shown = sum(1 for line in lines if len(line) <= LONGEST and _SHOWN.match(line))
    said = sum(1 for line in lines if line)
    return told >= 3 and (told >= said * 0.3 or (told + shown) >= said * 0.5)


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    found = {
        n: m[m.lastgroup] for n, line in enumerate(lines) if (m := _DIAGNOSTIC.match(line[:LONGEST])) and m.lastgroup
    }
    errors = error_lines(lines)
    findings = [n for n, level in found.items() if level not in _WARNING]
    grave = findings if len(findings) <= FINDINGS else sorted({*findings} & {*errors})
    graves = set(grave)
    mild = [n for n in found if n not in graves]
    must = dict.fromkeys([*grave, *evidence(lines, errors), *_places(lines, grave)])
    progress = matching(lines, _PROGRESS.match)
    summary = matching(lines, _SUMMARY.match)
    shown = matching(lines, _SHOWN.match)
    then = [
        *summary,
        *mild,
        *around(grave or errors, len(lines)),
        *_places(lines, mild),
        *shown,
        *range(3),
        *_last(lines),
    ]
    facts = f"{len(findings)} errors or findings, {len(found) - len(findings)} warnings or notes" if found else ""
    return Ranking(list(must), [*summary, *without(_inside(then, lines), {*progress} - {*_last(lines)})], facts)


def _places(lines: Sequence[str], marks: Sequence[int]) -> list[int]:
    """Where a diagnostic puts its place on a line of its own: rustc and ruff after it, eslint in a heading before."""
    places = [n + 1 for n in marks if n + 1 < len(lines) and lines[n + 1].lstrip().startswith("--> ")]
    heading: int | None = None
    marked = set(marks)
    for number, line in enumerate(lines):
        if line and not line[0].isspace():
            heading = number
        elif number in marked and heading is not None:
            places.append(heading)
    return list(dict.fromkeys(places))


def _last(lines: Sequence[str]) -> range:
    return range(max(0, len(lines) - 5), len(lines))


def _inside(order: Sequence[int], lines: Sequence[str]) -> list[int]:
    return [line for line in order if line < len(lines)]


BUILD_LOG = Reducer("build log", _recognises, _rank)
