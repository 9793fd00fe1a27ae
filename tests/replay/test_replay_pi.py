"""pi session logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proxy.replay import Recorded, load
from tests.replay.samples import (
    pi_answer,
    pi_call,
    pi_entry,
    pi_header,
    pi_image,
    pi_result,
    pi_text,
    pi_thinking,
    pi_user,
    write_lines,
)


def read(folder: Path, *entries: Any) -> Recorded:
    [session] = load(write_lines(folder, pi_header(), *entries))
    return session


def tree(*messages: Any) -> list[dict[str, Any]]:
    """Entries of a newer log, each the child of the one before."""
    return [pi_entry(one, id=f"e{i}", parentId=f"e{i - 1}" if i else None) for i, one in enumerate(messages)]


def test_parts_become_content_calls_and_reasoning(tmp_path: Path):
    answer = pi_answer(pi_thinking("First "), pi_text("I read it."), pi_thinking("then"), pi_call("t1", path="a é"))
    session = read(tmp_path, pi_entry(pi_user("Read a.")), pi_entry(answer), pi_entry(pi_result("t1", pi_text("x=1"))))
    assert session.format == "pi"
    assert session.messages == [
        {"role": "user", "content": [{"type": "text", "text": "Read a."}]},
        {
            "role": "assistant",
            "content": "I read it.",
            "reasoning_content": "First \n\nthen",
            "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a é"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "x=1"},
    ]


def test_settings_labels_and_compactions_add_nothing(tmp_path: Path):
    session = read(
        tmp_path,
        {"type": "model_change", "provider": "p", "modelId": "m"},
        pi_entry(pi_user("Hi")),
        {"type": "thinking_level_change", "thinkingLevel": "high"},
        {"type": "compaction", "summary": "long ago", "firstKeptEntryIndex": 1, "tokensBefore": 9},
        {"type": "custom", "customType": "notes", "data": {}},
        pi_entry(pi_answer(pi_text("Hello"))),
    )
    assert [message["role"] for message in session.messages] == ["user", "assistant"]


def test_answers_that_were_broken_off_and_their_results_were_never_resent(tmp_path: Path):
    broken = pi_answer(pi_text("I will"), pi_call("t1"), stop="aborted")
    session = read(tmp_path, pi_entry(pi_user("Hi")), pi_entry(broken), pi_entry(pi_result("t1", pi_text("no"))),
                   pi_entry(pi_user("Again")), pi_entry(pi_answer(pi_text("Hello"))))  # fmt: skip
    assert [message["role"] for message in session.messages] == ["user", "user", "assistant"]
    assert session.mends == ("message 2, a result of 't1' without an open call of that id, is left out",)


def test_images_of_a_result_follow_all_results_as_a_user_message(tmp_path: Path):
    session = read(
        tmp_path,
        pi_entry(pi_user("Look")),
        pi_entry(pi_answer(pi_call("t1"), pi_call("t2"))),
        pi_entry(pi_result("t1", pi_image())),
        pi_entry(pi_result("t2", pi_text("x"))),
    )
    assert [message["role"] for message in session.messages] == ["user", "assistant", "tool", "tool", "user"]
    assert session.messages[2]["content"] == "(an image follows)"
    assert session.messages[4]["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBORw0KGgo="


def test_commands_of_the_user_are_the_users_words_unless_hidden(tmp_path: Path):
    ran = {"role": "bashExecution", "command": "ls", "output": "a.py", "exitCode": 2, "cancelled": False}
    session = read(tmp_path, pi_entry(ran), pi_entry({**ran, "excludeFromContext": True}))
    assert session.messages == [{"role": "user", "content": "I ran a command: ls\na.py\n(exit status 2)"}]


def test_words_of_extensions_and_of_other_branches_are_the_users(tmp_path: Path):
    session = read(
        tmp_path,
        {"type": "custom_message", "customType": "x", "content": "The build is red.", "display": True},
        pi_entry({"role": "custom", "customType": "x", "content": [pi_text("Still red.")]}),
        {"type": "branch_summary", "summary": "tried rust", "fromId": "e1"},
    )
    assert [message["role"] for message in session.messages] == ["user", "user", "user"]
    assert session.messages[2]["content"].endswith("tried rust")


def test_a_tree_is_read_from_its_last_entry_to_the_root(tmp_path: Path):
    first, left, answer = tree(pi_user("Go"), pi_answer(pi_text("left")), pi_user("no"))
    right = pi_entry(pi_answer(pi_text("right")), id="r1", parentId=first["id"])
    session = read(tmp_path, first, left, answer, right)
    assert [message["content"] for message in session.messages] == [[{"type": "text", "text": "Go"}], "right"]


def test_a_log_that_holds_only_its_header_is_no_session(tmp_path: Path):
    assert load(write_lines(tmp_path, pi_header())) == []


def test_a_command_that_the_user_stopped_says_so(tmp_path: Path):
    ran = {"role": "bashExecution", "command": "make", "output": "", "cancelled": True}
    session = read(tmp_path, pi_entry(ran))
    assert session.messages[0]["content"] == "I ran a command: make\n(it printed nothing)\n(I cancelled it)"


def test_words_of_the_user_may_be_a_plain_text(tmp_path: Path):
    assert read(tmp_path, pi_entry({"role": "user", "content": "Hi"})).messages == [{"role": "user", "content": "Hi"}]


def test_a_result_may_be_a_plain_text(tmp_path: Path):
    answer, given = pi_answer(pi_call("t1")), {"role": "toolResult", "toolCallId": "t1", "content": "x=1"}
    assert read(tmp_path, pi_entry(pi_user("Go")), pi_entry(answer), pi_entry(given)).messages[2]["content"] == "x=1"


def test_summaries_that_stand_as_messages_are_told_or_passed_over(tmp_path: Path):
    session = read(
        tmp_path,
        pi_entry({"role": "branchSummary", "summary": "tried rust"}),
        pi_entry({"role": "compactionSummary", "summary": "long ago"}),
    )
    assert [message["content"] for message in session.messages] == [
        "Summary of another branch of this session:\ntried rust"
    ]
