"""`forebay replay`: figures on the screen, or one line that says what is wrong."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from proxy.replay.glossary import DEFINITIONS

SESSION = [
    {"role": "user", "content": "Where is the crane?"},
    {"role": "assistant", "content": "In bay crane_07."},
    {"role": "user", "content": "Thanks."},
    {"role": "assistant", "content": "Welcome."},
]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "yard.json"
    path.write_text(json.dumps(SESSION))
    return path


def test_a_session_is_replayed_and_every_figure_shown(forebay, recorded):
    answer = forebay("replay", "yard.json", "--policy", "coding", "--window", "64k", "--prices", "2/0.1")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "2 requests, policy coding\n" in answer.stdout
    assert "window 64,000, the answer in it; prices 2/0.1\n" in answer.stdout
    for name in DEFINITIONS:
        assert f"\n{name}  " in answer.stdout


def test_files_of_one_name_are_told_apart(forebay, recorded, tmp_path):
    assert forebay("replay", "yard.json", "yard.json", "--json", "out.json").returncode == 0
    document = json.loads((tmp_path / "out.json").read_text())
    first, second = (session["name"] for session in document["sessions"])
    assert second == f"{first} (2)"


def test_recordings_without_a_request_are_left_out_and_told(forebay, recorded, tmp_path):
    (tmp_path / "quiet.json").write_text(json.dumps(SESSION[:1]))
    answer = forebay("replay", "yard.json", "quiet.json")
    assert (answer.returncode, answer.stderr) == (
        0, "forebay replay: left out, for they hold no request: 1 of 2\n",
    )  # fmt: skip
    assert answer.stdout.startswith("yard")


def test_the_help_defines_every_figure(forebay):
    answer = forebay("replay", "--help").stdout
    for name in DEFINITIONS:
        assert f"\n  {name}\n      " in answer


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "forebay replay: the following arguments are required: FILE"),
        (["none.json"], "forebay: none.json: expected a readable file, No such file or directory"),
        (["odd.json"], "forebay: odd.json: expected OpenAI messages (a list"),
        (["quiet.json"], "forebay: the files hold no request"),
        (["yard.json", "--policy", "defalt"], "forebay: --policy: there is no policy 'defalt'; did you mean default?"),
        (["yard.json", "--policies", "nowhere"], "forebay: nowhere: policies.directory: is not a folder"),
        (["yard.json", "--model", "nowhere/x"], "forebay: --model: 'nowhere/x' has no known provider"),
        (["yard.json", "--window", "big"], "argument --window: 'big' is no number of tokens; write 128000 or 128k"),
        (["yard.json", "--window", "0"], "argument --window: '0' is no number of tokens"),
        (["yard.json", "--prices", "1.25"], "argument --prices: '1.25' is no pair of prices"),
        (["yard.json", "--prices", "0/0.1"], "argument --prices: '0/0.1' is no pair of prices"),
        (["yard.json", "--prices", "nan/1"], "argument --prices: 'nan/1' is no pair of prices"),
        (["yard.json", "--json", "no/out"], "forebay: --json: there is no folder no; create it"),
        (["yard.json", "--json", "."], "forebay: --json: . is a folder; name a file"),
        (["yard.json", "--plott", "x"], "forebay: '--plott' is not an argument of replay"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(forebay, recorded, tmp_path, arguments, told):
    (tmp_path / "odd.json").write_text('{"rows": []}')
    (tmp_path / "quiet.json").write_text(json.dumps(SESSION[:1]))
    answer = forebay("replay", *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert told in answer.stderr
    assert answer.stderr.count("\n") == 1


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is not None, reason="matplotlib is installed here")
def test_a_plot_without_matplotlib_is_refused_before_anything_runs(forebay, recorded):
    answer = forebay("replay", "yard.json", "--plot", "x.png")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == "forebay: --plot: needs matplotlib, which is not installed; pip install 'forebay[plot]'\n"
