"""Repeats of action are counted, and said only where the policy asks for it."""

from __future__ import annotations

import pytest

from policies.edits import Note
from policies.plan import Plan
from policies.schema import Policy
from tests.build import Said, call, calls, conversation, planned, result, says, system, terms, user

ONCE = (call("ls", arguments='{"path": "."}'), result("a b c"))


def told(*said: Said, after: int = 0) -> Plan:
    policy = Policy.model_validate({"on_arrival": {"repeats": {"loop_notice_after": after}}})
    return planned(conversation(user("go"), *said), terms(10_000, policy))


@pytest.mark.parametrize("times", [1, 2, 5])
def test_the_same_call_with_the_same_result_is_counted(times: int):
    assert told(*(ONCE * times)).report.repeated_calls == times - 1


@pytest.mark.parametrize(
    "other",
    [
        (call("ls", arguments='{"path": "/"}'), result("a b c")),
        (call("dir", arguments='{"path": "."}'), result("a b c")),
        (call("ls", arguments='{"path": "."}'), result("a b d")),
        (says("done"),),
        (user("again"),),
    ],
    ids=["other arguments", "another tool", "another result", "a word", "a user's word"],
)
def test_anything_else_begins_anew(other: tuple[Said, ...]):
    assert told(*ONCE, *ONCE, *other).report.repeated_calls == 0


def test_ids_and_later_rules_make_no_difference():
    again = (call("ls", id="c9", arguments='{"path": "."}'), result("a b c", id="c9"))
    assert told(*ONCE, system("mind the gap"), *again).report.repeated_calls == 1


def test_all_calls_of_a_turn_count_together():
    both = (calls(("a", "ls", "{}"), ("b", "pwd", "{}")), result("x", id="a"), result("y", id="b"))
    assert told(*both, *both[:2]).report.repeated_calls == 0
    assert told(*both, *both).report.repeated_calls == 1


def test_nothing_is_said_unless_the_policy_asks():
    assert told(*(ONCE * 4)).edits == ()


def test_from_the_third_time_on_the_result_says_so():
    plan = told(*(ONCE * 4), after=3)
    notices = [edit for edit in plan.edits if isinstance(edit, Note)]
    assert [(note.index, note.text) for note in notices] == [
        (6, "[Forebay: the same call with the same result, 3 times in a row]"),
        (8, "[Forebay: the same call with the same result, 4 times in a row]"),
    ]
    assert plan.report.added == sum(note.tokens for note in notices)
    assert plan.report.forwarded == plan.report.received + plan.report.added


def test_a_dropped_turn_takes_its_notice_along():
    turn = (call("ls", arguments='{"path": "."}'), result(" ".join(["w"] * 60)))
    policy = Policy.model_validate(
        {
            "keep_last_turns": 2,
            "on_arrival": {"repeats": {"loop_notice_after": 2}},
            "history": {"cost_rule": {"enabled": False}, "clear_results": {"enabled": False}},
        }
    )
    plan = planned(conversation(user("go"), *(turn * 12)), terms(600, policy))
    assert plan.report.compacted_turns
    assert plan.report.received + plan.report.added - sum(plan.report.removed.values()) == plan.report.forwarded
    assert plan.report.forwarded <= 600
