"""Calls and results put together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.demo.structure import violations
from proxy.replay.sound import NO_RESULT, sound
from tests.replay.samples import calls, chat, result, says, system, user


def test_what_is_sound_stays_as_it_is():
    assert sound(chat()) == (chat(), ())


def test_words_between_a_call_and_its_result_come_after_it():
    settled, mends = sound([user("go"), calls("a", "b"), result("b"), user("hurry"), result("a"), says("done")])
    assert settled == [user("go"), calls("a", "b"), result("b"), result("a"), user("hurry"), says("done")]
    assert mends == ("message 5, a result, moves to the call that it answers",)


def test_a_call_without_a_result_gets_one_that_says_so():
    settled, mends = sound([user("go"), calls("a"), says("never mind")])
    assert settled == [user("go"), calls("a"), result("a", NO_RESULT), says("never mind")]
    assert len(mends) == 1


def test_results_without_a_call_and_second_results_are_left_out():
    settled, mends = sound([system(), result("x"), user("go"), calls("a"), result("a"), result("a", "again")])
    assert settled == [system(), user("go"), calls("a"), result("a")]
    assert len(mends) == 2


def test_nothing_comes_of_nothing():
    assert sound([]) == ([], ())


_ANY = st.lists(
    st.sampled_from((user("u"), says("s"), calls("a"), calls("a", "b"), result("a"), result("b"), system("later"))),
    max_size=12,
)


@given(_ANY)
def test_whatever_comes_in_a_provider_accepts_what_comes_out(messages: list[dict[str, object]]):
    settled, mends = sound(messages)
    assert violations({"messages": [user("first"), *settled]}) == ()
    assert sound(settled) == (settled, ())
    assert bool(mends) == (settled != messages)
