"""Shortening, the last resort: a hard limit, the most telling lines first."""

from __future__ import annotations

import pytest

from policies.history.shorten import shorten
from tests.build import count, terms, words
from tests.reducers.reducing import LOCATOR, shown

UNDER = terms(10_000)


@pytest.mark.parametrize("limit", [30, 60, 300, 2_000])
def test_the_limit_holds_even_where_error_lines_do_not_fit(limit: int):
    text = "\n".join(f"ValueError: row {n} of the ledger\nfine" for n in range(2_000))
    short = shorten(text, limit, LOCATOR, UNDER)
    assert count(short) <= limit
    assert shown(short, text)


def test_errors_come_before_both_ends():
    text = words(3_000, "x") + "\nError: disk full\n" + words(3_000, "y")
    short = shorten(text, 60, LOCATOR, UNDER)
    assert "Error: disk full" in short.split("\n")
    assert shown(short, text)


def test_the_room_is_used():
    text = words(6_000)
    assert count(shorten(text, 1_000, LOCATOR, UNDER)) > 900


def test_where_nothing_fits_one_gap_is_left():
    text = words(300)
    assert shorten(text, 3, LOCATOR, UNDER) == f"[Forebay: lines 1-30 left out; all kept as {LOCATOR}]"


def test_source_keeps_its_definitions():
    step = "    rows = [row for row in rows if row is not None]\n"
    text = "import json\nimport sys\n" + "\n".join(
        f"def part_{n}(rows):\n{step * 4}    return rows" for n in range(200)
    )
    short = shorten(text, 120, LOCATOR, UNDER)
    assert short.count("def part_") > 5
    assert short.count("row is not None") < 3
