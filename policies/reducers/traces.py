"""Stack traces of Python, JavaScript, Java, C#, Go, Rust, Ruby and PHP: their frames, and whose they are.

A frame is the program's own unless its place is a runtime's or an installed package's. The innermost and outermost
frames tell the most, but no own frame is ever left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from policies.reducers.errors import error_lines
from policies.reducers.order import around, ends
from policies.reducers.reducer import Outline, Ranking, Reducer

LONGEST = 1_000
"""A line longer than this is data, not a frame."""

_FRAME = re.compile(
    r"""\s*File "(?P<python>[^"]+)", line \d+"""
    r"""|(?P<pytest>[\w./\\-]+\.py):\d+:(?: [\w.]*(?:Error|Exception|Interrupt|Failed|Exit|Warning)| in \w+)?$"""
    r"""|\s+at (?P<rust>\S+\.rs):\d+(?::\d+)?$"""
    r"""|\s+at (?:async )?(?:(?:new )?[^()\s]+ (?:\[as \w+\] )?\()?"""
    r"""(?P<script>(?:file://|node:|[A-Za-z]:)?[^():\s]+):\d+:\d+\)?$"""
    r"""|\s*(?:\[ERROR\]\s+)?at (?P<java>[\w.$/@<>-]+)\((?:[\w.$-]+(?::\d+)?|Native Method|Unknown Source)\)"""
    r"""|\s+at (?P<sharp>[\w.<>`\[\],+|]+)\([^)]*\)(?: in \S.*:line \d+)?$"""
    r"""|\t(?P<go>\S+\.go):\d+(?: \+0x[0-9a-f]+)?$"""
    r"""|(?:\s*from |\s*)(?P<ruby>[^\s:]+\.rb):\d+:in [`'"]"""
    r"""|#\d+ (?P<php>[^\s(]+\.php)\(\d+\): """
)

_FOREIGN = re.compile(
    r"(?:site|dist)-packages|/lib(?:64)?/python\d|[\\/]lib[\\/](?:unittest|asyncio|importlib|json|concurrent)[\\/]"
    r"|<frozen "
    r"|node_modules|^node:|^internal/|/internal/(?:process|modules)/"
    r"|^(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|scala|groovy|java\.base)[./]"
    r"|^org\.(?:junit|apache|spring|hibernate|mockito|gradle|testng|assertj|opentest4j)"
    r"|/go/src/|/pkg/mod/|/usr/(?:local/)?go/|^/rustc/|\.cargo/|/library/(?:std|core|alloc|test)/"
    r"|/gems/|/lib/ruby/|/vendor/|^(?:System|Microsoft|Xunit|NUnit|MSTest)\."
)

_SEAM = re.compile(
    r"\s*\.\.\. \d+ (?:more|common frames omitted)|\s*\[Previous line repeated|\s*Suppressed: |created by |exit status "
)
_INDENT = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: the lines it takes up, whether its place is the program's own, whether Python printed it."""

    lines: tuple[int, ...]
    own: bool
    python: bool


def frames(lines: Sequence[str]) -> list[Frame]:
    """The frames of all traces in the text, in order."""
    found: list[Frame] = []
    for number, line in enumerate(lines):
        match = _FRAME.match(line) if len(line) <= LONGEST else None
        if match and match.lastgroup:
            place = match[match.lastgroup]
            found.append(
                Frame(_extent(lines, number, match.lastgroup), not _FOREIGN.search(place), match.lastgroup == "python")
            )
    return found


def _extent(lines: Sequence[str], number: int, language: str) -> tuple[int, ...]:
    """The lines of the frame whose place stands at `number`."""
    if language in {"go", "rust"}:
        return (number - 1, number) if number else (number,)
    if language != "python":
        return (number,)
    indent = _indent(lines[number])
    end = number + 1
    while end < len(lines) and end <= number + 2 and len(lines[end]) <= LONGEST and _indent(lines[end]) > indent:
        end += 1
    return tuple(range(number, end))


def _indent(line: str) -> int:
    match = _INDENT.match(line)
    return match.end() if match and match.end() < len(line) else -1


def own_frames(found: Sequence[Frame]) -> list[int]:
    """The lines of the program's own frames, the last frame's first; if none is its own, those at either end."""
    own = [frame for frame in found if frame.own] or [*found[:1], *found[-1:]]
    return list(dict.fromkeys(line for frame in reversed(own) for line in frame.lines))


def raised(lines: Sequence[str], found: Sequence[Frame]) -> list[int]:
    """The lines that say what was raised: in Python the first one after the frames that is not indented."""
    ends = [
        (lines[frame.lines[0]], frame.lines[-1] + 1)
        for frame in found
        if frame.python and frame.lines[-1] + 1 < len(lines)
    ]
    return [after for opening, after in ends if 0 <= _indent(lines[after]) < _indent(opening)]


def evidence(lines: Sequence[str], errors: Sequence[int]) -> list[int]:
    """What no preview of an output that reports may lose: its error lines, what was raised, own frames."""
    found = frames(lines)
    return list(dict.fromkeys([*errors, *raised(lines, found), *own_frames(found)]))


def _recognises(lines: Sequence[str]) -> bool:
    found = frames(lines)
    told = sum(len(frame.lines) for frame in found)
    said = sum(1 for line in lines if line.strip())
    return len(found) >= 2 and told >= said / 2


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    found = frames(lines)
    errors = error_lines(lines)
    must = evidence(lines, errors)
    seams = [number for number, line in enumerate(lines) if _SEAM.match(line)]
    total = len(lines)
    return Ranking(must, [*seams, *around(errors, total), *ends(total)], f"{len(found)} frames")


TRACEBACK = Reducer("traceback", _recognises, _rank)
