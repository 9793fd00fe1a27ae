"""Grouping: a call and its results never part."""

from __future__ import annotations

from policies.turns import Turn, take
from tests.build import Said, call, calls, conversation, result, system, user


def turns_of(*said: Said) -> list[Turn]:
    turns: list[Turn] = []
    for index, message in enumerate(conversation(*said).messages):
        take(turns, index, message)
    return turns


def test_parallel_results_share_the_turn_of_their_calls():
    made = calls(("a", "read", "{}"), ("b", "read", "{}"))
    assert turns_of(made, result("x", id="b"), result("y", id="a")) == [Turn(0, 3, "assistant")]


def test_a_call_without_its_result_pins_the_turn():
    (turn,) = turns_of(calls(("a", "read", "{}"), ("b", "read", "{}")), result("x", id="b"))
    assert turn.pending == ("a",)
    assert turn.pinned


def test_an_id_used_on_every_turn_belongs_to_the_latest_call():
    turns = turns_of(call(id="0"), result("x", id="0"), call(id="0"), result("y", id="0"))
    assert turns == [Turn(0, 2, "assistant"), Turn(2, 4, "assistant")]


def test_an_id_used_twice_in_one_turn_wants_two_results():
    turns = turns_of(calls(("0", "read", "{}"), ("0", "read", "{}")), result("x", id="0"))
    assert turns == [Turn(0, 2, "assistant", ("0",))]


def test_a_late_result_is_a_turn_of_its_own_and_holds_its_call():
    turns = turns_of(call(id="a"), user("wait"), result("x", id="a"), user("go"))
    assert [(turn.start, turn.end, turn.role) for turn in turns] == [
        (0, 1, "assistant"),
        (1, 2, "user"),
        (2, 3, "tool"),
        (3, 4, "user"),
    ]
    assert [turn.pinned for turn in turns] == [True, False, True, False]


def test_a_call_stays_pinned_while_another_of_its_turn_is_late():
    made = calls(("a", "read", "{}"), ("b", "read", "{}"))
    turns = turns_of(made, result("x", id="a"), user("wait"), result("y", id="b"))
    assert turns[0] == Turn(0, 2, "assistant", (), held=True)


def test_an_orphaned_result_stays_with_the_turn_before_it():
    assert turns_of(user("hello"), result("x", id="nobody")) == [Turn(0, 2, "user")]


def test_later_system_text_is_a_pinned_turn():
    (turn,) = turns_of(system("new rules"))
    assert turn.pinned
