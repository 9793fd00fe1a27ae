"""The judge of driven sessions must see what it is there to see."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.end_to_end.session_driver import Body, Judge, Sent
from tests.replay.samples import calls, chat, result, says, user

WINDOW = 1_000


def one(sent: list[Body], went: list[Body] | None = None, batches: int = 0, **tokens: int) -> Sent:
    """A request that was answered; without `went` its very bytes reached the upstream."""
    names = ("received", "forwarded", "added", "dropped", "cleared", "spilled", "reduced")
    counted = {"received": 100, "forwarded": 100, **tokens}
    context = {f"x-context-{name}-tokens": str(counted.get(name, 0)) for name in names}
    return Sent(_bytes(sent), 200, {**context, "x-context-batches": str(batches)}, b"{}", _bytes(went or sent))


def braked(**error: Any) -> Sent:
    told = {"code": "context_length_exceeded", "budget": {"forwarded": 2 * WINDOW}, **error}
    return Sent(_bytes(chat()), 400, {}, json.dumps({"error": told}).encode(), None)


def judged(*sent: Sent) -> list[str]:
    judge = Judge(WINDOW)
    return [fault for each in sent for fault in judge.judge(each)]


def _bytes(messages: list[Body]) -> bytes:
    return json.dumps({"messages": messages}).encode()


GONE = [user("go"), calls("a"), result("a", "[cleared]"), says("on")]
WHOLE = [user("go"), calls("a"), result("a", "x" * 400), says("on")]
CLEARED = {"forwarded": 60, "cleared": 40}


def test_untouched_requests_that_grow_are_well():
    assert judged(one(chat()[:4]), one(chat()[:6])) == []


def test_an_edit_with_its_count_and_its_batch_is_well():
    assert judged(one(WHOLE), one(WHOLE, GONE, batches=1, **CLEARED)) == []


def test_an_earlier_message_that_changed_without_a_batch_is_told():
    assert "message 2 is not what it was" in "".join(judged(one(WHOLE), one(WHOLE, GONE, **CLEARED)))


def test_a_request_that_lost_its_end_without_a_batch_is_told():
    assert "message 2 is not what it was" in "".join(judged(one(WHOLE), one(WHOLE[:2] + WHOLE[3:], **CLEARED)))


def test_a_call_without_its_result_is_told():
    assert "before the results of a" in "".join(judged(one(WHOLE, WHOLE[:2] + WHOLE[3:], **CLEARED)))


@pytest.mark.parametrize("counted", [{"forwarded": 1_001, "received": 1_001}, {}])
def test_a_request_over_the_window_is_told_by_either_count(counted: dict[str, int]):
    sent = [user("word " * 1_100)] if not counted else [user("short")]
    assert "over the window of 1000" in "".join(judged(one(sent, **counted)))


def test_tokens_that_vanish_without_a_count_are_told():
    assert "leave 100, but 60 were forwarded" in "".join(judged(one(WHOLE, GONE, batches=1, forwarded=60)))


def test_bytes_that_changed_without_an_edit_are_told():
    assert "the bytes are not the client's" in "".join(judged(one(chat(), [*chat()[:-1], says("Safe travels!")])))


def test_a_policy_that_failed_is_told():
    sent = one(chat())
    failed = Sent(sent.sent, 200, {**sent.context, "x-context-degraded": "policy"}, b"{}", sent.forwarded)
    assert judged(failed) == ["a policy failed, and the original was forwarded"]


def test_the_brake_may_answer_where_the_floor_does_not_fit():
    assert judged(braked()) == []


def test_the_brake_may_not_answer_where_it_would_fit():
    assert "the brake answered although" in "".join(judged(braked(budget={"forwarded": WINDOW})))


def test_any_other_status_is_told():
    assert judged(braked(code="overloaded"))[0].startswith("status 400: ")
