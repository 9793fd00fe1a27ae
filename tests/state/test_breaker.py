"""When the breaker lets calls pass, by a clock of our own."""

from __future__ import annotations

from proxy.state.breaker import Breaker


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def opened() -> tuple[Breaker, Clock]:
    clock = Clock()
    breaker = Breaker(first_pause=1.0, longest_pause=30.0, now=clock)
    assert breaker.admit() == "call"
    assert breaker.failed("call")
    return breaker, clock


def pauses(breaker: Breaker, clock: Clock, count: int) -> list[float]:
    """How long it stays open, while every probe fails."""
    lengths = []
    for _ in range(count):
        since = clock.time
        while breaker.admit() is None:
            clock.time += 0.5
        lengths.append(clock.time - since)
        breaker.failed("probe")
    return lengths


def test_calls_pass_while_all_is_well() -> None:
    breaker = Breaker()
    assert [breaker.admit(), breaker.admit()] == ["call", "call"]
    assert breaker.closed
    assert not breaker.refuses


def test_the_first_failure_opens_it() -> None:
    breaker, _ = opened()
    assert breaker.admit() is None
    assert breaker.refuses
    assert not breaker.closed


def test_after_the_pause_one_caller_probes_and_the_others_still_fail() -> None:
    breaker, clock = opened()
    clock.time += 1.0
    assert [breaker.admit(), breaker.admit()] == ["probe", None]


def test_a_good_probe_closes_it() -> None:
    breaker, clock = opened()
    clock.time += 1.0
    breaker.admit()
    assert breaker.succeeded("probe")
    assert breaker.admit() == "call"


def test_the_pause_grows_to_its_bound_while_probes_fail() -> None:
    breaker, clock = opened()
    assert pauses(breaker, clock, 7) == [1, 2, 4, 8, 16, 30, 30]


def test_the_pause_grows_on_if_it_fails_again_soon_after_a_good_probe() -> None:
    breaker, clock = opened()
    clock.time += 1.0
    breaker.admit()
    breaker.succeeded("probe")
    clock.time += 5
    assert breaker.failed("call")
    assert pauses(breaker, clock, 1) == [2]


def test_after_a_quiet_time_the_pause_starts_anew() -> None:
    breaker, clock = opened()
    pauses(breaker, clock, 4)
    clock.time += 30
    breaker.admit()
    breaker.succeeded("probe")
    clock.time += 31
    breaker.failed("call")
    assert pauses(breaker, clock, 1) == [1]


def test_calls_that_were_on_their_way_when_it_opened_change_nothing() -> None:
    breaker, clock = opened()
    assert not breaker.failed("call")
    assert not breaker.succeeded("call")
    clock.time += 1.0
    assert breaker.admit() == "probe"
