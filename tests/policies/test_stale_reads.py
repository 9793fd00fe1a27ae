"""Which reads still show what is there."""

from __future__ import annotations

import json

import pytest

from policies.edits import Replace
from policies.history.stale_reads import Files
from tests.build import Said, call, conversation, planned, result, terms, user, words


def act(tool: str, path: str = "a.py", key: str = "path", id: str = "c", **more: object) -> Said:
    return call(tool, id=id, arguments=json.dumps({key: path, **more}))


def stale(*said: Said) -> list[int]:
    """The messages whose reads were overtaken."""
    files, history = Files(), conversation(*said)
    for index, message in enumerate(history.messages):
        if message.role == "assistant":
            files.called(history, index)
    return [index for index, _ in files.take_stale(len(said))]


def test_an_edit_makes_an_earlier_read_stale():
    assert stale(act("read_file"), act("edit_file")) == [0]


def test_the_same_read_again_makes_the_earlier_one_stale():
    assert stale(act("read_file"), act("read_file")) == [0]


def test_a_read_of_another_part_does_not():
    assert stale(act("read_file", start=1), act("read_file", start=100)) == []


def test_another_files_edit_does_not():
    assert stale(act("read_file", "a.py"), act("write", "b.py")) == []


@pytest.mark.parametrize("tool", ["str_replace_editor", "applyPatch", "WriteFile", "create"])
def test_tools_that_edit_are_known_by_the_words_in_their_names(tool: str):
    assert stale(act("view"), act(tool)) == [0]


@pytest.mark.parametrize("arguments", ["{", "[]", '"a.py"', "{}", '{"path": 3}'])
def test_arguments_that_name_no_file_are_no_read(arguments: str):
    assert stale(call("read", arguments=arguments), act("edit")) == []


def test_a_stale_read_is_cleared_inside_the_keep_window_but_never_in_the_newest_turn():
    said = [user("go")]
    for turn, tool in enumerate(["read", "edit", "read", "edit", "list"]):
        said += [act(tool, id=f"c{turn}"), result(words(900, f"r{turn}"), id=f"c{turn}")]
    plan = planned(conversation(*said), terms(5_500))
    assert {edit.index: edit.by for edit in plan.edits if isinstance(edit, Replace)} == {
        2: "stale_read",
        6: "stale_read",
    }
