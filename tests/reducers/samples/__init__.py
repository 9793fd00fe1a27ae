"""Samples of what agents read, all written by us."""

from __future__ import annotations

from collections.abc import Iterator

from tests.reducers.samples import builds, others, testruns, traces
from tests.reducers.samples.sample import Sample


def all_samples() -> Iterator[Sample]:
    """Every sample, kind by kind."""
    yield from testruns.test_runs()
    yield from builds.builds()
    yield from traces.traces()
    for kind in (others.diffs, others.searches, others.listings, others.records, others.tables, others.sources):
        yield from kind()
    for kind in (others.pages, others.logs, others.texts):
        yield from kind()
