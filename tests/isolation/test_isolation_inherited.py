"""What a sub-agent inherited, by the messages alone."""

from __future__ import annotations

from policies.edits import Drop, Note
from policies.isolation import inherited, isolation, possible_tasks
from tests.build import Said, call, conversation, count, locate, result, says, system, user

PARENT = (system("rules"), user("go"), call(id="p1"), result("seen", id="p1"), says("well"))
TASK = user("find the berth")


def gone(*said: Said, task: int) -> list[int]:
    return inherited(conversation(*said).messages, task)


def test_all_but_system_text_before_the_task_is_inherited():
    assert gone(*PARENT, TASK, task=5) == [1, 2, 3, 4]


def test_system_text_in_the_middle_stays():
    assert gone(*PARENT, system("new rules"), says("yes"), TASK, task=7) == [1, 2, 3, 4, 6]


def test_what_the_sub_agent_did_itself_is_not_inherited():
    own = (call(id="c1"), result("free", id="c1"), says("berth 7"), user("sure?"))
    assert gone(*PARENT, TASK, *own, task=5) == [1, 2, 3, 4]


def test_nothing_is_inherited_where_no_assistant_spoke_before_the_task():
    assert gone(system("rules"), user("some notes"), TASK, says("yes"), task=2) == []


def test_a_pending_call_of_the_parents_leaves():
    assert gone(user("go"), call(id="p1"), TASK, task=2) == [0, 1]


def test_a_late_result_leaves_with_its_call():
    assert gone(user("go"), call(id="p1"), TASK, says("on it"), result("late", id="p1"), task=2) == [0, 1, 4]


def test_a_result_of_the_sub_agents_own_call_stays_though_the_parent_used_its_id():
    own = (call(id="x"), result("mine", id="x"), result("late", id="x"))
    assert gone(user("go"), call(id="x"), TASK, *own, task=2) == [0, 1, 5]


def test_an_id_that_the_parents_results_used_up_is_not_pending():
    said = (user("go"), call(id="x"), result("theirs", id="x"), TASK, says("hm"), result("orphan", id="x"))
    assert gone(*said, task=3) == [0, 1, 2]


def test_every_message_of_the_users_may_be_the_task():
    assert possible_tasks(conversation(*PARENT, TASK, says("yes"), user("sure?")).messages) == [1, 5, 7]


def test_the_edits_are_drops_and_one_notice_behind_the_task():
    messages = conversation(*PARENT, system("new rules"), says("yes"), TASK).messages
    *drops, note = isolation(messages, 7, count, locate)
    locator = locate("turns", b"".join(messages[index].digest for index in (1, 2, 3, 4, 6)))
    tokens = [sum(messages[index].tokens for index in run) for run in (range(1, 5), [6])]
    assert drops == [Drop(1, 5, locator, tokens[0], "isolate"), Drop(6, 7, locator, tokens[1], "isolate")]
    told = (
        f"[Forebay: 5 messages of inherited history, {sum(tokens)} tokens, were left out on request; kept as {locator}]"
    )
    assert note == Note(7, told, count(told))


def test_the_edits_stay_the_same_while_the_sub_agent_goes_on():
    first = isolation(conversation(*PARENT, TASK).messages, 5, count, locate)
    own = (call(id="c1"), result("free", id="c1"), says("berth 7"), user("sure?"))
    assert isolation(conversation(*PARENT, TASK, *own).messages, 5, count, locate) == first


def test_without_inherited_history_there_is_no_edit():
    assert isolation(conversation(system("rules"), TASK).messages, 1, count, locate) == ()
