"""SWE-agent trajectories, old and new."""

from __future__ import annotations

from pathlib import Path

from proxy.demo.structure import violations
from proxy.replay import load, requests
from proxy.replay.sound import NO_RESULT
from tests.replay.samples import called_action, observation, system, trajectory, typed_action, user, write


def test_typed_commands_are_words_like_any_other(tmp_path: Path):
    action = typed_action("ls -l")
    [session] = load(write(tmp_path, trajectory(system(), user("Fix it."), action, user("a.py"))))
    assert session.format == "swe-agent"
    assert session.messages == [
        system(), user("Fix it."), {"role": "assistant", "content": action["content"]}, user("a.py"),
    ]  # fmt: skip
    assert session.tools is None


def test_results_find_their_call_by_the_list_of_ids(tmp_path: Path):
    [session] = load(write(tmp_path, trajectory(system(), user("Fix it."), called_action("c1"), observation("c1"))))
    assert session.messages[-1] == {"role": "tool", "content": "a.py", "tool_call_id": "c1"}
    assert session.tools is not None
    assert session.tools[0]["function"]["name"] == "bash"


def test_the_agents_own_notes_are_not_sent(tmp_path: Path):
    [session] = load(write(tmp_path, trajectory(user("Fix it."), called_action("c1"), observation("c1"))))
    assert {key for message in session.messages for key in message} == {
        "role", "content", "tool_calls", "tool_call_id",
    }  # fmt: skip


def test_one_result_for_two_calls_answers_the_first_and_the_other_is_told(tmp_path: Path):
    history = trajectory(user("Fix it."), called_action("c1", "c2"), observation("c1", "c2"))
    [session] = load(write(tmp_path, history))
    assert [message["content"] for message in session.messages[2:]] == ["a.py", NO_RESULT]
    assert violations({"messages": session.messages}) == ()
    assert session.mends == ("the call 'c2' of message 2 has no result and gets one that says so",)


def test_what_an_anthropic_model_thought_is_reasoning(tmp_path: Path):
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "redacted_thinking", "data": "x"}]
    history = trajectory(user("Fix it."), called_action("c1", thinking_blocks=blocks), observation("c1"))
    assert load(write(tmp_path, history))[0].messages[1]["reasoning_content"] == "Hm."


def test_a_demonstration_is_part_of_the_history_but_no_request(tmp_path: Path):
    shown = [{**one, "is_demo": True} for one in (user("For example:"), called_action("d1"), observation("d1"))]
    history = trajectory(system(), *shown, user("Fix it."), called_action("c1"), observation("c1"))
    [session] = load(write(tmp_path, history))
    [body] = requests(session, "m")
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool", "user"]


def test_a_replay_configuration_does_not_matter(tmp_path: Path):
    history = trajectory(user("Fix it."), typed_action("ls"), replay_config="{}")
    assert len(load(write(tmp_path, history))[0].messages) == 2


def test_a_run_that_ended_before_it_began_is_no_session(tmp_path: Path):
    assert load(write(tmp_path, trajectory())) == []
