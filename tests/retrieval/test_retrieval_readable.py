"""Originals as a model reads them."""

from __future__ import annotations

import json

import pytest

from proxy.retrieval.readable import readable


def test_a_result_is_read_as_it_is():
    assert readable("result", '{"a": "one\\ntwo"}') == '{"a": "one\\ntwo"}'


def test_a_files_lines_are_lines_again():
    arguments = json.dumps({"path": "src/a.py", "text": "one\ntwo", "mode": 7})
    assert readable("arguments", arguments) == 'path: "src/a.py"\ntext:\none\ntwo\nmode: 7'


def test_inner_values_are_named_by_their_path():
    arguments = json.dumps({"edits": [{"old": "a\nb", "new": "c"}], "none": []})
    assert readable("arguments", arguments) == 'edits[0].old:\na\nb\nedits[0].new: "c"\nnone: []'


@pytest.mark.parametrize("arguments", ['{"path": "a', "no json", ""])
def test_arguments_that_are_no_json_are_read_as_they_are(arguments: str):
    assert readable("arguments", arguments) == arguments


def test_turns_say_who_said_what_and_called_what():
    call = {"id": "c", "type": "function", "function": {"name": "write", "arguments": '{"text": "x\\ny"}'}}
    turns = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "done\nwell", "tool_call_id": "c"},
    ]
    text = readable("turns", "\n".join(map(json.dumps, turns)))
    assert text == "user:\ngo\nassistant calls write:\ntext:\nx\ny\ntool:\ndone\nwell"


def test_what_is_no_text_in_a_turn_is_shown_as_json():
    image = {"type": "image_url", "image_url": {"url": "https://example.invalid/a.png"}}
    text = readable("turns", json.dumps({"role": "user", "content": [{"type": "text", "text": "see"}, image]}))
    assert text == f"user:\nsee\nuser: {json.dumps(image)}"


def test_a_custom_call_shows_its_input():
    call = {"type": "custom", "custom": {"name": "shell", "input": "ls -l"}}
    text = readable("turns", json.dumps({"role": "assistant", "content": "look", "tool_calls": [call]}))
    assert text == "assistant:\nlook\nassistant calls shell:\nls -l"
