"""Everything else: prose, Markdown, YAML, settings, `key=value` dumps. Nothing clever: errors, headings, both ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from policies.reducers.errors import error_lines
from policies.reducers.order import around, ends, matching
from policies.reducers.reducer import Outline, Ranking, Reducer
from policies.reducers.traces import evidence

_HEADING = re.compile(r"#{1,6} \S")
EDGE = 5


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    total = len(lines)
    errors = error_lines(lines)
    edges = [*range(min(EDGE, total)), *range(max(0, total - EDGE), total)]
    headings = matching([line[:200] for line in lines], _HEADING.match)
    return Ranking(evidence(lines, errors), [*around(errors, total), *edges, *headings, *ends(total)])


TEXT = Reducer("text", lambda _lines: True, _rank)
