"""Readings are billed to us, and are no part of the untouched bill."""

from __future__ import annotations

import pytest

from proxy.bill import Bill, Sizes, bill
from proxy.upstream import Prices, Usage

PRICES = Prices(input=1.0, output=10.0, cache_read=0.1)
SAME = Sizes(received=1_000, forwarded=1_000, received_before=800, forwarded_before=800)
HALVED = Sizes(received=2_000, forwarded=1_000, received_before=1_600, forwarded_before=800)
FIRST = Usage(1_000, 20, cache_read_tokens=800)
READ = Usage(1_500, 50, cache_read_tokens=1_000)
MILLION = 1_000_000


def dollars(amount: float) -> float:
    return pytest.approx(amount / MILLION)  # type: ignore[no-any-return]


def test_one_call_that_was_left_alone_costs_the_same_either_way():
    cost = dollars(200 + 80 + 200)
    assert bill([FIRST], SAME, PRICES) == Bill(cost, cost)


def test_the_untouched_request_would_have_read_its_own_share_from_the_cache():
    assert bill([FIRST], HALVED, PRICES) == Bill(dollars(200 + 80 + 200), dollars(400 + 160 + 200))


@pytest.mark.parametrize(("sizes", "untouched"), [(SAME, 200 + 80), (HALVED, 400 + 160)])
def test_a_reading_is_ours_and_the_last_answer_both(sizes: Sizes, untouched: int):
    own = (200 + 80 + 200) + (500 + 100 + 500)
    assert bill([FIRST, READ], sizes, PRICES) == Bill(dollars(own), dollars(untouched + 500))


def test_without_a_price_there_is_no_bill():
    assert bill([FIRST], SAME, Prices()) is None
