"""OpenAI messages: documents, lists, bodies, JSON Lines."""

from __future__ import annotations

from pathlib import Path

from proxy.replay import load
from tests.replay.samples import calls, chat, result, says, system, user, write, write_lines

TOOL = {"type": "function", "function": {"name": "lookup", "description": "Find it.", "parameters": {}}}


def test_a_list_of_messages_is_one_session(tmp_path: Path):
    [session] = load(write(tmp_path, chat()))
    assert (session.name, session.format, session.messages) == ("session", "openai-chat", chat())
    assert session.mends == ()


def test_messages_a_line_are_one_session(tmp_path: Path):
    [session] = load(write_lines(tmp_path, *chat()))
    assert session.messages == chat()


def test_a_session_a_line_gives_numbered_sessions(tmp_path: Path):
    sessions = load(write_lines(tmp_path, chat(), [user("hi"), says("hello")]))
    assert [(one.name, len(one.messages)) for one in sessions] == [("session#1", 7), ("session#2", 2)]


def test_sessions_in_one_list_are_told_apart(tmp_path: Path):
    assert [len(one.messages) for one in load(write(tmp_path, [chat(), chat()[:5]]))] == [7, 5]


def test_a_request_body_keeps_its_tools_and_waits_for_an_answer(tmp_path: Path):
    [session] = load(write(tmp_path, {"model": "m", "messages": chat()[:4], "tools": [TOOL], "temperature": 0}))
    assert (session.format, session.tools, session.unanswered) == ("openai-request", [TOOL], True)


def test_a_body_that_ends_with_an_answer_waits_for_none(tmp_path: Path):
    [session] = load(write(tmp_path, {"messages": chat()}))
    assert not session.unanswered


def test_bodies_a_line_are_sessions_of_their_own(tmp_path: Path):
    sessions = load(write_lines(tmp_path, {"messages": chat()}, {"messages": chat()[:2], "tools": [TOOL]}))
    assert [one.tools == [TOOL] for one in sessions] == [False, True]


def test_a_single_line_with_one_message_is_a_session(tmp_path: Path):
    assert load(write_lines(tmp_path, user("hi")))[0].messages == [user("hi")]


def test_empty_sessions_are_left_out(tmp_path: Path):
    assert load(write(tmp_path, {"messages": []})) == []
    assert [one.name for one in load(write(tmp_path, [chat(), []]))] == ["session#1"]


def test_a_byte_order_mark_and_blank_lines_do_no_harm(tmp_path: Path):
    path = write_lines(tmp_path, *chat())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert load(path)[0].messages == chat()


def test_unicode_line_separators_inside_a_line_do_not_end_it(tmp_path: Path):
    path = tmp_path / "log"
    path.write_text('{"role": "user", "content": "a\u2028b"}\n{"role": "assistant", "content": "c"}\n', "utf-8")
    assert load(path)[0].messages == [user("a\u2028b"), says("c")]


def test_all_roles_and_unknown_fields_pass_as_they_are(tmp_path: Path):
    mixed = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "hi"}], "name": "ada"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "1"},
        says("done", reasoning_content="short", refusal=None),
    ]
    assert load(write(tmp_path, mixed))[0].messages == mixed


def test_missing_content_becomes_an_empty_text_where_a_provider_wants_one(tmp_path: Path):
    session = load(write(tmp_path, [user("hi"), {"role": "assistant"}, {"role": "user", "content": None}]))[0]
    assert [message["content"] for message in session.messages] == ["hi", "", ""]


def test_an_empty_list_of_calls_is_taken_away(tmp_path: Path):
    assert load(write(tmp_path, [user("hi"), says("hello", tool_calls=[])]))[0].messages[1] == says("hello")


def test_arguments_written_as_an_object_become_text(tmp_path: Path):
    call = calls("c1")
    call["tool_calls"][0]["function"]["arguments"] = {"booking": "QF-3"}
    session = load(write(tmp_path, [user("go"), call, result("c1")]))[0]
    assert session.messages[1]["tool_calls"][0]["function"]["arguments"] == '{"booking":"QF-3"}'


def test_ids_that_come_again_in_later_turns_are_no_fault(tmp_path: Path):
    messages = [system(), user("go"), calls("c"), result("c", "1"), calls("c"), result("c", "2")]
    [session] = load(write(tmp_path, messages))
    assert (session.messages, session.mends) == (messages, ())
