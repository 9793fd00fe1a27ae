"""tau-bench results."""

from __future__ import annotations

from pathlib import Path

from proxy.replay import load
from tests.replay.samples import calls, chat, result, run, says, system, user, write, write_lines


def test_each_run_is_a_session_named_after_task_and_trial(tmp_path: Path):
    runs = [run(*chat(), task=3, trial=0), run(*chat()[:5], task=3, trial=1)]
    sessions = load(write(tmp_path, runs, "airline.json"))
    assert [one.name for one in sessions] == ["airline#1-task_id-3-trial-0", "airline#2-task_id-3-trial-1"]
    assert {one.format for one in sessions} == {"tau-bench"}
    assert sessions[0].messages == chat()


def test_null_fields_and_names_of_results_are_resent_as_they_are(tmp_path: Path):
    messages = [system(), user("hi"), says("hello", tool_calls=None, function_call=None), calls("c1"),
                {**result("c1"), "name": "lookup"}]  # fmt: skip
    assert load(write(tmp_path, [run(*messages)]))[0].messages == messages


def test_a_run_that_failed_before_it_began_is_left_out(tmp_path: Path):
    assert [one.name for one in load(write(tmp_path, [run(task=1), run(*chat(), task=2)]))] == ["session#2-task_id-2"]


def test_definitions_are_made_from_the_calls(tmp_path: Path):
    messages = [user("go"), calls("a"), result("a"), calls("b", arguments='{"deck": 2, "booking": "Q"}'), result("b"),
                calls("c", name="think", arguments="{"), result("c")]  # fmt: skip
    [session] = load(write(tmp_path, [run(*messages)]))
    assert session.tools == [
        _defined("lookup", "booking", "deck"),
        _defined("think"),  # cut off arguments tell no key
    ]


def test_a_session_without_calls_has_no_definitions(tmp_path: Path):
    assert load(write(tmp_path, [run(user("hi"), says("hello"))]))[0].tools is None


def test_runs_a_line_are_read_too(tmp_path: Path):
    assert len(load(write_lines(tmp_path, run(*chat()), run(*chat())))) == 2


def _defined(name: str, *keys: str) -> dict[str, object]:
    parameters = {"type": "object", "properties": {key: {} for key in keys}}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}
