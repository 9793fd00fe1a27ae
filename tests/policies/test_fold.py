"""Checkpoints and batches, by example; the laws stand in tests/laws."""

from __future__ import annotations

import json

import pytest

from policies.edits import Drop, Note, Replace, ReplaceArguments
from policies.schema import Policy
from policies.terms import CachePrices
from tests.build import (
    call,
    conversation,
    planned,
    result,
    says,
    system,
    terms,
    tool_turns,
    user,
    walked,
    without_cost_rule,
    words,
)

PLAIN = without_cost_rule()


def test_what_fits_is_left_alone():
    plan = planned(conversation(user("go"), *tool_turns(20, 100)), terms(10_000, PLAIN))
    assert plan.edits == ()
    assert plan.report.received == plan.report.forwarded


def test_the_window_clears_results_older_than_the_keep_window():
    history = conversation(user("go"), *tool_turns(20, 500))
    plan = planned(history, terms(12_000, without_cost_rule(keep_last_turns=15)))
    cleared = [edit.index for edit in plan.edits if isinstance(edit, Replace)]
    assert cleared == [2, 4, 6, 8]  # at the nineteenth turn, when fifteen are kept
    assert plan.report.batches == ("window",)


def test_a_cleared_result_names_its_size_and_its_locator():
    plan = planned(conversation(user("go"), *tool_turns(20, 500)), terms(12_000, PLAIN))
    (first, *_) = plan.edits
    assert isinstance(first, Replace)
    assert first.text == f"[Forebay: result cleared, 500 tokens in 50 lines; kept as {first.locator}]"


def test_long_arguments_are_cleared_into_json_of_the_same_shape():
    turns = tool_turns(20, 90, argument_words=500)
    plan = planned(conversation(user("go"), *turns), terms(12_000, PLAIN))
    cleared = next(edit for edit in plan.edits if isinstance(edit, ReplaceArguments))
    assert json.loads(cleared.text).keys() == {"path", "text"}
    assert json.loads(cleared.text)["path"] == "file0"


def test_small_results_stay():
    plan = planned(conversation(user("go"), *tool_turns(60, 70)), terms(5_200, PLAIN))
    assert not [edit for edit in plan.edits if isinstance(edit, Replace)]


def test_excluded_tools_keep_their_results():
    policy = without_cost_rule(history={"clear_results": {"exclude_tools": ["read"]}})
    plan = planned(conversation(user("go"), *tool_turns(20, 500)), terms(12_000, policy))
    assert not [edit for edit in plan.edits if isinstance(edit, Replace) and edit.by == "clear_result"]


def test_the_oldest_turns_are_dropped_where_clearing_is_not_enough():
    said = [message for turn in range(40) for message in (says(words(300)), user(words(20)))]
    plan = planned(conversation(user("go"), *said), terms(12_000, PLAIN))
    (drop,) = [edit for edit in plan.edits if isinstance(edit, Drop)]
    (note,) = [edit for edit in plan.edits if isinstance(edit, Note)]
    assert drop.start == 1
    assert (drop.end - drop.start) % 2 == 0
    assert (note.index, note.insert) == (0, False)
    assert drop.locator in note.text


def test_a_notice_without_pinned_user_text_is_a_message_of_its_own():
    said = [message for turn in range(40) for message in (says(words(300)), user(words(20)))]
    plan = planned(conversation(system("rules"), *said), terms(12_000, PLAIN))
    (note,) = [edit for edit in plan.edits if isinstance(edit, Note)]
    (drop,) = [edit for edit in plan.edits if isinstance(edit, Drop)]
    assert note.insert
    assert note.index == drop.end


def test_later_system_text_outlives_its_neighbours():
    said = [message for turn in range(40) for message in (says(words(300)), user(words(20)))]
    said.insert(4, system("new rules"))
    plan = planned(conversation(user("go"), *said), terms(12_000, PLAIN))
    dropped = {i for edit in plan.edits if isinstance(edit, Drop) for i in range(edit.start, edit.end)}
    assert 5 not in dropped
    assert {4, 6} <= dropped


def test_nothing_is_dropped_where_the_policy_says_so():
    policy = without_cost_rule(history={"then": "nothing"})
    said = [message for turn in range(40) for message in (says(words(300)), user(words(20)))]
    plan = planned(conversation(user("go"), *said), terms(12_000, policy))
    assert plan.edits == ()
    assert plan.refusal == "window"


def test_the_keep_window_gives_way_before_the_brake_answers():
    plan = planned(conversation(user("go"), *tool_turns(15, 1_000)), terms(10_000, PLAIN))
    assert plan.refusal is None
    assert plan.report.forwarded <= 8_000
    assert {edit.by for edit in plan.edits if isinstance(edit, Replace)} == {"clear_result"}


def test_the_newest_results_are_shortened_last_and_only_by_whole_lines():
    turns = [call(id="a"), result(words(6_000, "x") + "\nError: disk full\n" + words(6_000, "y"), id="a")]
    plan = planned(conversation(user("go"), *turns), terms(10_000, PLAIN))
    (edit,) = plan.edits
    assert isinstance(edit, Replace)
    assert edit.by == "shorten"
    lines = edit.text.split("\n")
    assert "Error: disk full" in lines
    assert all(
        line.split() in ([], ["x"] * 10, ["y"] * 10, ["Error:", "disk", "full"]) or edit.locator in line
        for line in lines
    )
    assert plan.report.forwarded <= 8_000


def test_a_floor_over_the_window_is_refused():
    plan = planned(conversation(user(words(9_000))), terms(8_000, PLAIN))
    assert plan.refusal == "window"


def test_overflow_is_forwarded_where_the_policy_says_so():
    policy = without_cost_rule(on_overflow="forward")
    assert planned(conversation(user(words(9_000))), terms(8_000, policy)).refusal is None


def test_the_fixed_part_over_its_share_is_refused_where_the_policy_says_so():
    policy = without_cost_rule(on_system_over="reject")
    assert planned(conversation(user("go")), terms(8_000, policy, fixed=401)).refusal == "system"
    assert planned(conversation(user("go")), terms(8_000, policy, fixed=400)).refusal is None


def test_the_clients_maximum_output_is_lowered_to_what_is_left():
    plan = planned(conversation(user(words(5_000))), terms(8_192, PLAIN), max_output=4_000)
    assert plan.refusal is None
    assert plan.max_output == 8_192 - plan.report.forwarded


def test_reasoning_counts_at_the_brake_alone():
    history = conversation(user("go"), says("well", extra=9_000), user("on"))
    plan = planned(history, terms(10_000, PLAIN))
    assert plan.edits == ()
    assert plan.report.forwarded > 9_000


@pytest.mark.parametrize("prices", [CachePrices(1.25, 0.1), CachePrices(1.0, 0.1), CachePrices(1.0, 0.5)])
def test_a_long_session_is_cleared_for_cost_before_the_window_forces_it(prices: CachePrices):
    history = conversation(user("go"), *tool_turns(300, 300))
    plan = planned(history, terms(272_000, Policy(), prices=prices))
    assert set(plan.report.batches) == {"cost"}
    assert plan.report.forwarded < plan.report.received / 2


def test_where_reading_costs_as_much_as_writing_every_tenth_turn_clears():
    fold = walked(conversation(user("go"), *tool_turns(46, 300)), terms(272_000, prices=CachePrices(1.0, 1.0)))
    assert fold.batches == ("cost",) * 4


def test_the_account_bounds_the_bill_at_every_request():
    under = terms(272_000, Policy())
    for turns in range(20, 320, 7):
        account = walked(conversation(user("go"), *tool_turns(turns, 300)), under).account
        assert account.own <= 1.05 * account.untouched


def test_a_late_result_takes_no_newer_turn_with_it():
    waiting = [user("go"), call("task", id="bg"), *tool_turns(30, 300)]
    before = planned(conversation(*waiting), terms(5_000, PLAIN))
    late = [*waiting, result("done at last", id="bg"), call(id="n1"), result("newest", id="n1"), user("and now?")]
    plan = planned(conversation(*late), terms(5_000, PLAIN))
    gone = {index for edit in plan.edits if isinstance(edit, Drop) for index in range(edit.start, edit.end)}
    assert before.report.compacted_turns > 0
    assert not gone & {1, *range(len(waiting), len(late))}
    assert max(gone) < len(waiting) - 2
