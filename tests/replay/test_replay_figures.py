"""Figures out of rows, worked by hand."""

from __future__ import annotations

import pytest

from policies.terms import CachePrices
from proxy.replay.figures import Figures, course_of, figures, total
from proxy.replay.prompt import Sent
from proxy.replay.recall import Recall
from tests.replay.replay_builders import played, recall, row

PRICES = CachePrices(1.25, 0.1)


def test_cost_is_the_ratio_of_both_bills_answers_included():
    figure = figures(played(row(100, 100, output=2), row(200, 80, cached=(100, 40), output=2)))
    untouched = (125 + 10) + (100 * 0.1 + 125 + 10)
    proxied = (125 + 10) + (40 * 0.1 + 50 + 10)
    assert figure.untouched.cost == pytest.approx(untouched)
    assert figure.cost_ratio == pytest.approx(proxied / untouched)
    assert figure.token_ratio == 180 / 300


def test_the_worst_prefix_is_where_the_session_could_have_ended_dearest():
    rows = [row(100, 100), row(100, 200), row(900, 0)]
    assert figures(played(*rows)).worst == pytest.approx(300 / 200)
    assert course_of(rows, PRICES).worst == pytest.approx(300 / 200)


def test_our_tools_weight_is_taken_out_of_prefix_and_request():
    figure = figures(played(row(100, 120, our_tool=20), row(200, 220, cached=(100, 120), our_tool=20)))
    assert figure.cost_ratio == pytest.approx((120 + 100 + 120 * 0.08) / (100 + 100 + 100 * 0.08))
    assert figure.cost_ratio_without_our_tool == pytest.approx(1)
    assert figure.worst == pytest.approx(1.2)
    assert figure.worst_without_our_tool == pytest.approx(1)


def test_a_brake_answer_counts_on_no_side():
    figure = figures(played(row(100, 90), row(900, None, over_window=True, output=50)))
    assert (figure.requests, figure.brakes, figure.over_window, figure.output) == (1, 1, 1, 0)
    assert (figure.untouched.tokens, figure.untouched.peak, figure.forwarded.tokens) == (100, 100, 90)


def test_stability_and_breaks_are_each_sides_own():
    figure = figures(played(row(100, 100), row(200, 50, cached=(100, 25), broke=True)))
    assert figure.stability(figure.untouched) == 100 / 300
    assert figure.stability(figure.forwarded) == 25 / 150
    assert (figure.breaks(figure.untouched), figure.breaks(figure.forwarded)) == (0, 50)


def test_batches_are_told_by_reason():
    figure = figures(played(row(9, 9, new_batches=("cost",)), row(9, 9, new_batches=("window", "window"))))
    assert (figure.cost_batches, figure.window_batches, figure.batches) == (1, 2, 3)


def test_faults_failures_and_recall_are_sums():
    rows = [
        row(9, 9, faults=("a", "b"), evidence=recall(2, 1)),
        row(9, 9, failed_open=True, evidence=recall(1, 1), reuse=recall(3, 2)),
    ]
    figure = figures(played(*rows))
    assert (figure.faults, figure.failed_open) == (2, 1)
    assert (figure.evidence, figure.reuse) == (Recall(3, 2, 3, 2), Recall(3, 2, 3, 2))


@pytest.mark.parametrize(("restart", "counted"), [(True, (1, 1)), (False, (1, 0)), (None, (0, 0))])
def test_a_restart_counts_where_something_was_forwarded(restart: bool | None, counted: tuple[int, int]):
    figure = figures(played(row(9, 9), restart=restart))
    assert (figure.restarts, figure.restarts_identical) == counted


def test_nothing_sent_has_no_ratios():
    figure = figures(played(row(9, None)))
    assert (figure.cost_ratio, figure.worst, figure.token_ratio, figure.breaks(figure.forwarded)) == (None,) * 4
    assert total([]) == Figures()


def test_a_total_is_the_ratio_of_sums_the_largest_peak_and_the_worst_of_any():
    cheap, dear = figures(played(row(1000, 500))), figures(played(row(100, 130)))
    both = total([cheap, dear])
    assert both.cost_ratio == pytest.approx(630 / 1100)
    assert both.worst == pytest.approx(1.3)
    assert (both.sessions, both.forwarded.peak, both.untouched.tokens) == (2, 500, 1100)


def test_without_our_tool_a_request_keeps_what_it_is():
    assert Sent(50, 30, broke=True).without(10) == Sent(40, 20, broke=True)
