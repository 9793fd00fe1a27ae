"""Each sample is taken for its kind, from its content alone."""

from __future__ import annotations

import pytest

from policies.reducers import REDUCERS, recognise
from policies.reducers.preview import readable
from tests.reducers.samples import all_samples
from tests.reducers.samples.sample import Sample

SAMPLES = list(all_samples())
each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


@each
def test_a_sample_is_taken_for_its_kind_and_no_other(sample: Sample):
    assert recognise(readable(sample.text)).kind == sample.kind


@each
def test_colours_and_carriage_returns_change_nothing(sample: Sample):
    painted = "\r\n".join(f"\x1b[31m{line}\x1b[0m" if line else "" for line in sample.text.split("\n"))
    assert recognise(readable(painted)).kind == sample.kind


def test_every_kind_has_a_sample():
    assert {sample.kind for sample in SAMPLES} == {reducer.kind for reducer in REDUCERS}


@pytest.mark.parametrize(
    "text", ["", "\n\n\n", "{", "[]", "{}", "done", "a,b,c", "12:30", '{"a": 1', "-" * 50, "| a |", "<p>"]
)
def test_a_scrap_is_text(text: str):
    assert recognise(readable(text)).kind in {"text"}


def test_a_log_with_a_trace_in_it_is_a_log():
    lines = [f"2026-01-05 10:00:{n:02d} INFO gate lorry {n}" for n in range(30)]
    trace = ["Traceback (most recent call last):", '  File "/srv/a.py", line 3, in f', "    g()", "KeyError: 3"]
    assert recognise([*lines, *trace, *lines]).kind == "log"


def test_a_long_output_is_known_by_its_ends():
    middle = ["collected 9 items", "9 passed in 0.1s", "=== RUN   TestA"]
    prose = ["the depot opens at six"] * 3_000
    assert recognise([*prose, *middle, *prose]).kind == "text"


def test_deeply_nested_json_is_no_reason_to_fail():
    assert recognise(["[" * 100_000 + "]" * 100_000]).kind == "text"
