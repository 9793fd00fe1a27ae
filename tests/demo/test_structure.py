import pytest

from proxy.demo.structure import changed_by_the_way, violations
from tests.demo.demo_builders import a_body, assistant, result, system, user

SOUND = (system(), user("go"), assistant("a", "b"), result("b"), result("a"), user("more"))


def test_parallel_calls_answered_in_any_order_are_sound():
    assert violations(a_body(*SOUND)) == ()


def test_an_id_may_come_again_in_a_later_turn():
    turn = (assistant("a"), result("a"))
    assert violations(a_body(user("go"), *turn, *turn)) == ()


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ((user("go"), assistant("a"), user("wait"), result("a")), "comes before the results of a"),
        ((user("go"), assistant("a", "b"), result("a")), "ends before the results of b"),
        ((user("go"), result("a")), "answers the call 'a', which is not open"),
        ((user("go"), assistant("a"), result("a"), result("a")), "orphan or duplicate"),
        ((user("go"), assistant("a", "b"), result("a"), result("c")), "answers the call 'c'"),
        ((user("go"), assistant("a", "a"), result("a"), result("a")), "two calls of one id"),
        ((user("go"), {"role": "narrator", "content": "x"}), "the role 'narrator'"),
        ((system(),), "no message is the user's"),
        ((user("go"), {"role": "assistant", "content": None}), "message 1 (assistant) has no content"),
        ((user("go"), {"role": "user", "content": None}), "message 1 (user) has no content"),
        (({"role": "user", "content": []},), "empty list"),
        (({"role": "user", "content": [{"type": "video"}]},), "of type 'video'"),
        (({"role": "user", "content": [{"type": "text"}]},), "without text"),
        ((user("go"), {"role": "tool", "tool_call_id": "a", "content": 3}), "content of type int"),
    ],
)
def test_what_a_strict_provider_refuses_is_named(messages, complaint):
    assert any(complaint in violation for violation in violations(a_body(*messages)))


@pytest.mark.parametrize("messages", [None, [], "hello"])
def test_a_body_without_messages_is_refused(messages):
    assert violations({"messages": messages}) == ("messages is not a list with at least one message",)


def test_arguments_that_are_no_string_are_refused():
    call = assistant("a")
    call["tool_calls"][0]["function"]["arguments"] = {}
    assert violations(a_body(user("go"), call, result("a"))) == (
        "message 1 makes a call 'a' whose arguments are no string",
    )


def test_the_clients_own_body_has_not_changed_by_the_way():
    assert changed_by_the_way(a_body(*SOUND), a_body(*SOUND)) == ()


def test_a_dropped_turn_and_a_cleared_result_change_nothing_that_matters():
    sent = a_body(system(), user("go"), assistant("a"), result("a"), assistant("b"), result("b"), user("more"))
    went = a_body(system(), user("go"), assistant("b"), result("b", "[cleared]"), user("more"))
    assert changed_by_the_way(went, sent) == ()


def test_a_notice_behind_the_pinned_user_text_is_allowed():
    sent = a_body(system(), user("go"), assistant("a"), result("a"), assistant("b"), result("b"))
    went = a_body(system(), user("go\n[1 turn dropped]"), assistant("b"), result("b"))
    assert changed_by_the_way(went, sent) == ()


def test_a_notice_as_a_part_behind_the_pinned_parts_is_allowed():
    parts = [{"type": "text", "text": "go"}]
    sent = a_body({"role": "user", "content": parts}, assistant("a"), result("a"))
    went = a_body(
        {"role": "user", "content": [*parts, {"type": "text", "text": "[note]"}]}, assistant("a"), result("a")
    )
    assert changed_by_the_way(went, sent) == ()


@pytest.mark.parametrize(
    ("went", "complaint"),
    [
        ((system(), user("go"), assistant("a"), result("a"), user("more [note]")), "the last user message"),
        ((system(), user("go"), assistant("a"), result("a")), "the last user message"),
        ((user("go"), assistant("a"), result("a"), user("more")), "the first message is not"),
        ((system("be long"), user("go"), assistant("a"), result("a"), user("more")), "the system messages"),
        ((system(), user("go"), user("more")), "messages 1 and 2 are both the user's"),
        ((system(), user("go"), system(), assistant("a"), result("a"), user("more")), "the system messages"),
        ((system(), user("go"), assistant("a", arguments='{"cut'), result("a"), user("more")), "arguments of call 'a'"),
        (
            (system(), user("go"), assistant("a", arguments='"text"'), result("a"), user("more")),
            "arguments of call 'a'",
        ),
    ],
)
def test_what_no_edit_may_cause_is_named(went, complaint):
    sent = a_body(system(), user("go"), assistant("a"), result("a"), user("more"))
    assert any(complaint in change for change in changed_by_the_way(a_body(*went), sent))


def test_two_user_messages_in_a_row_are_fine_where_the_client_sent_them():
    sent = a_body(user("go"), user("now"), assistant("a"), result("a"), user("more"))
    went = a_body(user("go"), user("now [note]"), assistant("a"), result("a"), user("more"))
    assert changed_by_the_way(went, sent) == ()


def test_arguments_that_were_broken_already_may_stay_broken():
    sent = a_body(user("go"), assistant("a", arguments='{"cut'), result("a"))
    assert changed_by_the_way(sent, sent) == ()
