"""Logs: lines that report an error with what stands around them, warnings, the beginning and the end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.reducers.errors import error_lines
from policies.reducers.order import around, ends, matching, share
from policies.reducers.reducer import Outline, Ranking, Reducer
from policies.reducers.traces import evidence

_STAMP = re.compile(
    r".{0,40}?(?:\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[\d\d/[A-Z][a-z]{2}/\d{4}:)"
    r"|[\[<(]?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|info|warn|error|debug)\b[\]>)]?(?:\s|:)"
    r"|(?:\S+=\S+ )?level=\w+|[IWEF]\d{4} \d\d:"
)
_WARNING = re.compile(r".{0,120}?\b(?:WARN(?:ING)?|warn(?:ing)?)\b")
MOSTLY = 0.5
FEWEST = 5


def _stamped(line: str) -> re.Match[str] | None:
    return _STAMP.match(line[:120])


def _recognises(lines: Sequence[str]) -> bool:
    # frames and continuation lines of what was logged are indented and carry no stamp
    said = [line for line in lines if line and not line[0].isspace()]
    return len(said) >= FEWEST and share(said, _stamped) >= MOSTLY


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    total = len(lines)
    errors = error_lines(lines)
    warnings = matching([line[:200] for line in lines], _WARNING.match)
    facts = f"{len(errors)} error lines, {len(warnings)} warnings"
    brink = [*range(min(3, total)), *range(max(0, total - 3), total)]
    return Ranking(evidence(lines, errors), [*around(errors, total), *brink, *warnings, *ends(total)], facts)


LOG = Reducer("log", _recognises, _rank)
