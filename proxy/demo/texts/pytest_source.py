"""Test modules of the invented project."""

from __future__ import annotations

import random
from string import Template

from proxy.demo.texts.vocabulary import THINGS, words

_MODULE = '''"""What Quayside promises about a $thing."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from quayside.errors import Conflict, Invalid
from tests.build import a_$thing, a_$partner, frozen_clock, memory_store

NOW = datetime(2026, 3, 29, 1, $small, tzinfo=UTC)


@pytest.fixture
def store():
    return memory_store(a_$thing($text="T-$large"), a_$thing($text="T-$medium", state="$third"))


@pytest.mark.parametrize(
    ("state", "following", "allowed"),
    [
        ("$first", "$second", True),
        ("$first", "$third", False),
        ("$second", "$first", True),
        ("$third", "$first", False),
        ("$fourth", "$first", False),
    ],
)
def test_moves_follow_the_rules(state, following, allowed):
    item = a_$thing(state=state, $time=NOW - timedelta(hours=$small))
    if allowed:
        assert move(item, following, NOW).state == following
    else:
        with pytest.raises(Conflict, match=f"is {state} and cannot become {following}"):
            move(item, following, NOW)


def test_${action}_refuses_a_stale_version(store):
    item = store.by_$text("T-$large")
    store.save(item, item.version)
    with pytest.raises(Conflict, match="changed by someone else at version 0"):
        store.save(item, item.version)


@pytest.mark.parametrize(("units", "expected"), $cases)
def test_charge_at_the_borders_of_its_bands(units, expected):
    assert charge(a_$thing($money=Decimal(0), $flag=True), units) == Decimal(expected)


def test_a_negative_${number}_is_refused_with_its_value():
    with pytest.raises(Invalid, match="$number of $thing .* is -1; at least 0"):
        a_$thing($number=-1)


def test_the_worker_leaves_closed_${partner}s_alone(store):
    worker = ${Thing}Worker(store, {"P-1": a_$partner(state="closed")}.get, frozen_clock(NOW))
    assert worker.run_once() == 0
    assert store.by_$text("T-$large").state == "$first"


def test_a_line_with_too_few_cells_is_reported_and_left_out():
    good, complaints = read_lines(["T-1;2", "# comment", ""], "export.csv")
    assert good == []
    assert complaints == ["export.csv:1: 2 cells, expected $small"]
'''


def pytest_module(thing: str) -> str:
    """The test module of one thing."""
    rng = random.Random(f"tests of {thing}")
    cases = [(rng.randint(0, 60), f"{rng.randint(0, 900)}.{rng.choice(('00', '25', '50'))}") for _ in range(9)]
    rows = "".join(f"\n        ({units}, {amount!r})," for units, amount in sorted(cases))
    return Template(_MODULE).substitute(words(THINGS[thing], rng) | {"cases": f"[{rows}\n    ]"})
