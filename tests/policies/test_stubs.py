"""What a stub says: errors, and names that would vanish."""

from __future__ import annotations

import json

import pytest

from policies.edits import Replace, ReplaceArguments
from policies.names import names
from tests.build import (
    Said,
    call,
    conversation,
    planned,
    result,
    says,
    terms,
    tool_turns,
    user,
    without_cost_rule,
    words,
)

PLAIN = without_cost_rule()


def stubs(*said: Said) -> dict[int, str]:
    """The stubs of a history that has to be cleared, by message."""
    history = conversation(user("go"), *said, *tool_turns(18, 600))
    plan = planned(history, terms(12_000, PLAIN))
    return {edit.index: edit.text for edit in plan.edits if isinstance(edit, (Replace, ReplaceArguments))}


def test_a_stub_lists_the_names_that_would_vanish():
    text = words(600) + "\nsee src/yard/move.py:118 and crane_07"
    assert stubs(call(id="x"), result(text, id="x"))[2].endswith("[names: src/yard/move.py:118, crane_07]")


def test_a_name_that_is_said_elsewhere_is_not_listed():
    text = words(600) + "\nsee src/yard/move.py and crane_07"
    told = stubs(call(id="x"), result(text, id="x"), says("crane_07 it is"))[2]
    assert told.endswith("[names: src/yard/move.py]")


def test_a_stub_keeps_the_first_error_lines():
    text = words(600) + "\nValueError: no berth is free\n" + words(100)
    assert "\nValueError: no berth is free" in stubs(call(id="x"), result(text, id="x"))[2]


def test_names_of_cleared_arguments_stand_in_the_first_marker():
    body = "\n".join(f"def step_{n}(): return {n}" for n in range(150))
    told = stubs(call("write", id="x", arguments=json.dumps({"path": "a.py", "text": body})), result("ok", id="x"))[1]
    assert json.loads(told)["path"] == "a.py"
    assert "names: a.py, step_0, step_1" in json.loads(told)["text"]


def test_a_stub_is_at_most_a_third_of_what_it_stands_for():
    text = "\n".join(f"name_{n}" for n in range(600))
    stub = stubs(call(id="x"), result(text, id="x"))[2]
    assert len(stub.split()) < 0.35 * 600


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the harbour is open", []),
        ("harbour_gate and MoveOrder", ["harbour_gate", "MoveOrder"]),
        ("in src/a.py at 118", ["src/a.py", "118"]),
        ("ValueError raised, KeyError too", ["ValueError", "KeyError"]),
        ("at 12 of 2026-03-24", ["2026-03-24"]),
    ],
)
def test_names_are_what_cannot_be_said_by_anybody(text: str, found: list[str]):
    assert list(names(text)) == found
