"""Makes large outputs small, by whole lines: what a spilled result still shows in the context.

A *reducer* knows one kind of output by its content and ranks its lines by how much they tell. `preview` lays the
telling ones out under a headline, every gap marked in place. Nothing is fused, reordered or reworded. In output
that reports, error lines, assertion diffs and the program's own frames stay to the letter (`errors.py`, `traces.py`);
in source, diffs, pages and search results the word "Error" reports nothing.

`REDUCERS` is the order in which kinds are tried, the surest signs first; `text` takes what nobody knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from policies.reducers.builds import BUILD_LOG
from policies.reducers.diffs import DIFF
from policies.reducers.listings import LISTING
from policies.reducers.logs import LOG
from policies.reducers.pages import PAGE
from policies.reducers.plain import TEXT
from policies.reducers.records import RECORDS
from policies.reducers.reducer import Outline, Ranking, Reducer
from policies.reducers.search import SEARCH
from policies.reducers.source import SOURCE
from policies.reducers.tables import TABLE
from policies.reducers.testruns import TEST_RUN
from policies.reducers.traces import TRACEBACK

REDUCERS = (RECORDS, PAGE, DIFF, TEST_RUN, TRACEBACK, BUILD_LOG, SEARCH, LISTING, TABLE, LOG, SOURCE, TEXT)

__all__ = ["REDUCERS", "Outline", "Ranking", "Reducer", "recognise"]


HEAD, TAIL = 1_500, 500
"""So many lines at either end tell what a long output is."""


def recognise(lines: Sequence[str]) -> Reducer:
    """The reducer for these lines, taken from their content alone; of a long output both ends are looked at."""
    looked = lines if len(lines) <= HEAD + TAIL else [*lines[:HEAD], *lines[-TAIL:]]
    return next(reducer for reducer in REDUCERS if reducer.recognises(looked))
