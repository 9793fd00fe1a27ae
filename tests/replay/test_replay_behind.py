"""What can be fetched from behind a locator, and what a message weighs."""

from __future__ import annotations

from policies.edits import Drop, Note, Replace, ReplaceArguments
from proxy.replay.behind import Behind
from proxy.replay.ledger import Ledger, RememberingCounter, definition_items
from proxy.wire.envelope import slice_body
from proxy.wire.reader import Reader
from tests.laws.proxied import dumped
from tests.replay.samples import calls, result, says, user

MESSAGES = [user("go"), calls("c1", arguments='{"body": "one\\nabc_1"}'), result("c1", "see\nabc_2"), says("abc_3")]
COUNTER = RememberingCounter("o200k_base")


def fetched(*edits: Replace | ReplaceArguments | Drop | Note) -> dict[str, frozenset[str]]:
    envelope = slice_body(dumped({"model": "m", "messages": MESSAGES}))
    return dict(Behind().fetched(edits, Reader(COUNTER.count).read(envelope).conversation))


def test_a_cleared_result_is_whole_behind_its_locator():
    assert fetched(Replace(2, 0, "stub", "L", 9, 1, "clear_result")) == {"L": {"abc_2"}}


def test_cleared_arguments_are_read_unquoted():
    assert fetched(ReplaceArguments(1, 0, "{}", "L", 9, 1)) == {"L": {"abc_1"}}


def test_dropped_turns_are_read_message_by_message():
    dropped = Drop(1, 4, "L", 9)
    assert fetched(dropped, Note(0, "dropped L", 3)) == {"L": {"abc_1", "abc_2", "abc_3"}}


def test_what_is_reported_beside_the_meaning_is_billed_too():
    """Reasoning is sent, so it costs."""
    ledger = Ledger(COUNTER)
    plain, thinking = (
        ledger.prompt(slice_body(dumped({"model": "m", "messages": [user("go"), says("so", **more)]})))
        for more in ({}, {"reasoning_content": "let me think " * 20})
    )
    assert thinking.total > plain.total + 50


def test_definitions_tell_their_names():
    body = {"model": "m", "messages": [user("go")], "tools": [{"function": {"name": "read_file"}}]}
    assert "read_file" in definition_items(slice_body(dumped(body)))
