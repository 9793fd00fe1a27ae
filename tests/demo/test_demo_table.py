import dataclasses

import pytest

from proxy.demo.figures import Row, Run
from proxy.demo.table import ASCII, UNICODE, WIDTH, blocks_for, report


def a_row(**given) -> Row:
    plain = {field.name: 0 for field in dataclasses.fields(Row)}
    return Row(**plain | {"received": 1000, "forwarded": 1000, "identical": True, "faults": ()} | given)


def a_run(*rows: Row, window: int = 64_000) -> Run:
    return Run("coding", "demo-64k", window, "coding", rows)


def prose(run: Run) -> str:
    return " ".join(report(run).split())


LARGE = a_row(
    received=999_999, forwarded=888_888, cached=777_777, dropped=99_999, cleared=99_999, spilled=99_999,
    compacted_turns=999, batches=99, identical=False,
)  # fmt: skip


@pytest.mark.parametrize("rows", [(LARGE,) * 120, (a_row(),), (a_row(faults=("a word " * 60,)),)])
def test_nothing_is_wider_than_a_plain_terminal(rows):
    assert max(len(line) for line in report(a_run(*rows)).splitlines()) <= WIDTH


def test_a_line_shows_every_figure_of_its_request():
    row = a_row(
        received=9001,
        forwarded=5002,
        cached=1003,
        compacted_turns=4,
        dropped=2005,
        cleared=1006,
        spilled=1007,
        batches=2,
    )
    line = next(line for line in report(a_run(row)).splitlines() if line.lstrip().startswith("1 "))
    assert line.split()[:9] == ["1", "9,001", "5,002", "1,003", "4", "2,005", "1,006", "1,007", "2<"]


def test_a_bar_is_as_long_as_what_came_and_shows_three_parts():
    row = a_row(received=2600, forwarded=1300, cached=1000)
    bar = report(a_run(row), ASCII).splitlines()[5].split()[-1]
    assert bar == "=" * 10 + "#" * 3 + "." * 13


def test_a_batch_is_marked_where_it_happened():
    lines = report(a_run(a_row(batches=1), a_row(batches=1), a_row(batches=2))).splitlines()[5:8]
    assert ["<" in line for line in lines] == [True, False, True]


def test_sums_are_of_both_sides():
    rows = [a_row(received=2000, forwarded=1000, cached=0, untouched_cached=1000, identical=False)] * 2
    text = prose(a_run(*rows))
    assert "tokens processed 4,000 2,000 -50.0%" in text
    assert "largest request 2,000 1,000 -50.0%" in text
    assert "$0.0027 $0.0025 -9.1%" in text


def test_a_bill_that_went_up_is_said_so():
    rows = [a_row(received=2000, forwarded=1500, cached=0, untouched_cached=1900, identical=False)]
    assert "The bill went UP by" in prose(a_run(*rows))


def test_a_bill_that_went_down_is_said_so():
    rows = [a_row(received=2000, forwarded=500, cached=0, identical=False)]
    assert "The bill went down by 75.0%." in prose(a_run(*rows))


def test_identical_requests_are_said_to_be_so():
    assert "every request was forwarded byte for byte" in prose(a_run(a_row(), a_row()))


def test_requests_that_would_not_have_fitted_are_counted():
    rows = [a_row(), a_row(received=2000, forwarded=500, identical=False)]
    text = prose(a_run(*rows, window=1500))
    assert "1 of 2 requests went out byte for byte; number 2 was the first edited." in text
    assert "Untouched, 1 of them would not have fitted the window at all." in text


def test_error_lines_in_view_are_counted():
    rows = [a_row(quotes=3, quotes_held=2, identical=False)]
    assert "Of 3 exact error lines that later answers quote, 2 stood word for word" in prose(a_run(*rows))


def test_a_fault_is_shown_in_its_line_and_below():
    text = report(a_run(a_row(), a_row(faults=("no content",))))
    assert "FAULT in request 2: no content" in text.splitlines()
    assert "were valid" not in text


@pytest.mark.parametrize(
    ("encoding", "blocks"), [("utf-8", UNICODE), ("ascii", ASCII), (None, ASCII), ("nonsense", ASCII)]
)
def test_bars_are_drawn_with_what_the_terminal_can_show(encoding, blocks):
    assert blocks_for(encoding) == blocks


def test_a_run_without_requests_is_not_valid():
    assert not a_run().valid
