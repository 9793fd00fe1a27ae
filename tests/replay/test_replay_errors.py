"""What a broken file is told: file, line, what was expected, in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proxy.replay import RecordingError, UnknownFormat, load
from tests.replay.samples import (
    calls,
    chat,
    pi_answer,
    pi_entry,
    pi_header,
    pi_user,
    run,
    trajectory,
    user,
    write,
    write_lines,
)


def told(path: Path) -> str:
    with pytest.raises(RecordingError) as caught:
        load(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text.removeprefix(str(path))


def test_an_empty_file(tmp_path: Path):
    (tmp_path / "e").write_text(" \n")
    assert told(tmp_path / "e") == ": expected recorded sessions, found an empty file"


def test_a_missing_file(tmp_path: Path):
    assert told(tmp_path / "none") == ": expected a readable file, No such file or directory"


def test_bytes_that_are_no_text(tmp_path: Path):
    (tmp_path / "b").write_bytes(b'{"role": "\xff"}')
    assert told(tmp_path / "b") == ": expected UTF-8 text, found the byte 0xff"


def test_a_document_that_breaks_off(tmp_path: Path):
    path = write(tmp_path, chat())
    path.write_text(path.read_text()[:-40])
    assert told(path).startswith(":38: expected JSON, ")


def test_a_line_that_breaks_off(tmp_path: Path):
    path = write_lines(tmp_path, *chat())
    path.write_text(path.read_text()[:-5])
    assert told(path).startswith(":7: expected one JSON value on this line, ")


def test_brackets_without_end(tmp_path: Path):
    (tmp_path / "deep").write_text("[" * 100_000)
    assert "nested too deep" in told(tmp_path / "deep")


def test_a_line_with_brackets_without_end(tmp_path: Path):
    path = write_lines(tmp_path, *chat())
    path.write_text(path.read_text() + "[" * 100_000)
    assert told(path).startswith(":8: expected JSON, found brackets nested too deep")


def test_a_line_that_is_no_message(tmp_path: Path):
    assert told(write_lines(tmp_path, *chat(), 5)) == ":8: expected a message, found a number"


@pytest.mark.parametrize("value", [[], {}, 3, "text", None, {"rows": [1]}, [{"id": 1}], [[]]])
def test_content_of_no_known_format(tmp_path: Path, value: Any):
    path = write(tmp_path, value)
    with pytest.raises(UnknownFormat, match="expected OpenAI messages"):
        load(path)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "robot", "content": "x"}, 'expected a role of system, developer, .*, found "robot"'),
        ({"role": "user", "content": 3}, "expected content that is a string, a list of parts or null, found a number"),
        ({"role": "user", "content": ["x"]}, "expected content parts that are objects with a type"),
        ({"role": "tool", "content": "x"}, "expected a tool_call_id in a tool message, found null"),
        ({"role": "assistant", "tool_calls": {"a": 1}}, "expected a list of tool_calls, found an object"),
        ({"role": "assistant", "tool_calls": [{"id": "a"}]}, "call 1: expected a tool call with an id and a function"),
        (calls("a", "a"), "expected calls with ids of their own, found 'a' twice"),
    ],
)
def test_a_message_that_no_provider_would_take(tmp_path: Path, message: Any, expected: str):
    with pytest.raises(RecordingError, match=f"session.dat, message 2.*{expected}"):
        load(write(tmp_path, [user("go"), message]))


def test_tools_that_are_no_list(tmp_path: Path):
    assert (
        told(write(tmp_path, {"messages": chat(), "tools": "all"}))
        == ": expected tools that are a list, found a string"
    )


def test_a_session_among_others_that_is_none(tmp_path: Path):
    assert told(write(tmp_path, [chat(), "chat"])).startswith(", session 2: expected a list of messages or")


def test_a_run_without_messages(tmp_path: Path):
    expected = ", run 2: expected a run with a list of messages in traj, found an object"
    assert told(write(tmp_path, [run(*chat()), {"task_id": 1}])) == expected


def test_a_run_with_a_broken_message_names_run_and_message(tmp_path: Path):
    assert told(write(tmp_path, [run(user("a"), {"role": 4})])).startswith(", run 1, message 2: expected a role of")


def test_a_trajectory_without_history(tmp_path: Path):
    path = write(tmp_path, {"trajectory": [], "info": {}})
    assert told(path) == ": expected a trajectory with a list of messages in history, found null"


def test_a_trajectorys_result_that_names_no_call(tmp_path: Path):
    path = write(tmp_path, trajectory(user("a"), {"role": "tool", "content": "x"}))
    assert told(path) == ", history message 2: expected tool_call_ids in a tool message, found null"


def test_a_trajectorys_history_that_holds_no_messages(tmp_path: Path):
    assert told(write(tmp_path, {"history": ["ls"]})) == ", history message 1: expected a message, found a string"


def test_thoughts_that_are_no_list(tmp_path: Path):
    path = write(tmp_path, trajectory({"role": "assistant", "content": "x", "thinking_blocks": "hm"}))
    assert told(path) == ", history message 1: expected a list of thinking_blocks, found a string"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"type": "message"}, "expected a message in an entry of type message"),
        (pi_entry("hello"), "expected a message, found a string"),
        (pi_entry({"role": "user"}), "expected content that is a string or a list of parts, found null"),
        (
            pi_entry(pi_user("x") | {"content": [{"type": "audio"}]}),
            "expected a part of type text or image, found 'audio'",
        ),
        ({"kind": "message"}, "expected an entry with a type, found an object"),
        (pi_entry({"role": "robot"}), "expected a message of role user, assistant or toolResult, found 'robot'"),
        (pi_entry(pi_answer({"type": "video"})), "expected a part of type text, thinking or toolCall, found 'video'"),
        (pi_entry({"role": "toolResult"}), "expected a toolCallId in a toolResult, found null"),
        (pi_entry(pi_user("x"), id="b", parentId="z"), "expected a parentId that names an earlier entry, found 'z'"),
        (pi_entry(pi_user("x"), id="b", parentId="b"), "expected a parentId that names an earlier entry, found 'b'"),
    ],
)
def test_an_entry_that_pi_would_not_write(tmp_path: Path, entry: Any, expected: str):
    assert told(write_lines(tmp_path, pi_header(), pi_entry(pi_user("Hi")), entry)) == f":3: {expected}"


def test_a_first_line_that_is_no_json_is_told_as_such(tmp_path: Path):
    (tmp_path / "log").write_text("2026-02-01 started\n" + json.dumps(chat()))
    assert told(tmp_path / "log").startswith(":1: expected JSON, ")
