"""render: only what an edit names changes, to the byte."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from policies.edits import Drop, Edit, Note, Replace, ReplaceArguments
from proxy.wire.envelope import slice_body
from proxy.wire.render import render

BODY = b"""{
 "model" : "gpt-5",
 "messages": [
  {"role":"system", "content":"S"},
  {"role":"user","content" : "caf\\u00e9 \\"q\\""},
  {"x":1, "role":"assistant","content":null,"tool_calls":[ {"id":"a","function":{"arguments" : "{\\"p\\":1}","name":"f"}},{"function":{"name":"g","arguments":"{}"},"id":"b"} ]},
  {"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"one"}, {"text" :"two","type":"text"}]},
  {"role":"user","content":[]}
 ],
 "max_tokens": 900, "max_completion_tokens":800
}"""  # noqa: E501 -- one line of JSON


def replace(index: int, text: str, part: int = 0) -> Replace:
    return Replace(index, part, text, "art_x", 1, 1, "clear_result")


def arguments(index: int, call: int, text: str) -> ReplaceArguments:
    return ReplaceArguments(index, call, text, "art_x", 1, 1)


def note(index: int, text: str, insert: bool = False) -> Note:
    return Note(index, text, 1, insert)


def drop(start: int, end: int) -> Drop:
    return Drop(start, end, "art_x", 1)


def edited(*edits: Edit, body: bytes = BODY) -> bytes:
    return render(slice_body(body), model="gpt-5", edits=edits)


def roles(body: bytes) -> list[str]:
    return [message["role"][0] for message in json.loads(body)["messages"]]


def test_nothing_to_change_is_the_same_object() -> None:
    assert render(slice_body(BODY), model="gpt-5") is BODY


def test_another_model_changes_its_value_only() -> None:
    assert render(slice_body(BODY), model='o"1') == BODY.replace(b'"gpt-5"', b'"o\\"1"')


def test_a_model_that_is_written_with_escapes_stays_as_it_is() -> None:
    body = b'{"model":"gpt\\u002d5","messages":[{"role":"user"}]}'
    assert render(slice_body(body), model="gpt-5") is body


@pytest.mark.parametrize(
    ("edits", "old", "new"),
    [
        ([replace(1, 'n\u00e9w "x"\n')], b'"caf\\u00e9 \\"q\\""', 'N"n\u00e9w \\"x\\"\\n"'.encode()[1:]),
        ([replace(3, "uno", 0)], b'"one"', b'"uno"'),
        ([replace(3, "dos", 1)], b'"two"', b'"dos"'),
        ([replace(3, "uno", 0), replace(3, "dos", 1)], b'"one"}, {"text" :"two"', b'"uno"}, {"text" :"dos"'),
        ([arguments(2, 0, '{"p":"-"}')], b'"{\\"p\\":1}"', b'"{\\"p\\":\\"-\\"}"'),
        ([arguments(2, 1, "{ }")], b'"{}"', b'"{ }"'),
        ([note(1, "N\n1")], b'\\"q\\""', b'\\"q\\"\\n\\nN\\n1"'),
        ([note(1, "N"), note(1, "M")], b'\\"q\\""', b'\\"q\\"\\n\\nN\\n\\nM"'),
        ([note(3, "N")], b'"type":"text"}]', b'"type":"text"},{"type":"text","text":"N"}]'),
        ([note(4, "N")], b'"content":[]', b'"content":[{"type":"text","text":"N"}]'),
        ([note(2, "N")], b'"content":null', b'"content":"N"'),
        ([replace(1, "R"), note(1, "N")], b'"caf\\u00e9 \\"q\\""', b'"R\\n\\nN"'),
        ([replace(1, "R"), replace(1, "Q")], b'"caf\\u00e9 \\"q\\""', b'"Q"'),
        ([replace(1, "\ud83d")], b'"caf\\u00e9 \\"q\\""', '"\ufffd"'.encode()),
    ],
)
def test_an_edit_changes_its_own_bytes_only(edits: Sequence[Edit], old: bytes, new: bytes) -> None:
    assert BODY.count(old) == 1
    assert edited(*edits) == BODY.replace(old, new)


def test_a_note_to_an_empty_text_has_no_blank_line_before_it() -> None:
    body = b'{"model":"gpt-5","messages":[{"role":"user","content":""}]}'
    assert edited(note(0, "N"), body=body) == body.replace(b'""', b'"N"')


def test_a_note_to_a_message_without_content_gives_it_one() -> None:
    body = b'{"model":"gpt-5","messages":[{"role":"user" }]}'
    assert edited(note(0, "N"), body=body) == body.replace(b" }]", b' ,"content":"N"}]')


def test_legacy_arguments_are_replaced() -> None:
    legacy = b'{"role":"assistant","function_call":{"arguments":"{}","name":"f"},"tool_calls":null}'
    body = b'{"model":"gpt-5","messages":[' + legacy + b"]}"
    assert edited(arguments(0, 0, "[]"), body=body) == body.replace(b'"{}"', b'"[]"')


@pytest.mark.parametrize(
    ("edits", "left"),
    [
        ([drop(0, 1)], "uatu"),
        ([drop(4, 5)], "suat"),
        ([drop(1, 3)], "stu"),
        ([drop(0, 2), drop(3, 5)], "a"),
        ([drop(0, 5)], ""),
        ([drop(1, 4), note(1, "N", insert=True)], "suu"),
        ([note(0, "N", insert=True)], "usuatu"),
        ([note(5, "N", insert=True)], "suatuu"),
        ([drop(0, 5), note(5, "N", insert=True)], "u"),
        ([drop(0, 5), note(0, "N", insert=True)], "u"),
        ([drop(1, 2), replace(1, "gone")], "satu"),
    ],
)
def test_messages_leave_and_arrive_with_their_commas(edits: Sequence[Edit], left: str) -> None:
    assert "".join(roles(edited(*edits))) == left


def test_dropping_keeps_the_layout_of_the_list() -> None:
    lines = BODY.split(b"\n")
    assert edited(drop(1, 3)) == b"\n".join(lines[:4] + lines[6:])


def test_an_inserted_note_is_a_user_message_before_its_index() -> None:
    messages = json.loads(edited(note(1, "N", insert=True)))["messages"]
    assert messages[1] == {"role": "user", "content": "N"}
    assert messages[2] == json.loads(BODY)["messages"][1]


@pytest.mark.parametrize(
    ("limit", "max_tokens", "max_completion_tokens"),
    [(850, 850, 800), (100, 100, 100), (1000, 900, 800)],
)
def test_a_clamp_lowers_what_the_client_sent(limit: int, max_tokens: int, max_completion_tokens: int) -> None:
    sent = json.loads(render(slice_body(BODY), model="gpt-5", max_output=limit))
    assert (sent["max_tokens"], sent["max_completion_tokens"]) == (max_tokens, max_completion_tokens)


def test_a_clamp_adds_no_limit_of_its_own() -> None:
    body = b'{"model":"gpt-5","messages":[{"role":"user"}],"max_tokens":null}'
    assert render(slice_body(body), model="gpt-5", max_output=5) is body


def test_a_mended_body_is_rendered_mended() -> None:
    body = b'{"model":"gpt-5","messages":[{"role":"user","content":"\\ud83d half"}]}'
    assert render(slice_body(body), model="gpt-5") == body.replace(b"\\ud83d", b"\\ufffd")
