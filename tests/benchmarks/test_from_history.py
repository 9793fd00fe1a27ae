"""A session made from a repository's history is sound, the same every time, and made of the repository's own lines."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.from_history import Message, session_of
from proxy.demo.structure import violations
from proxy.replay import load

_TESTS = "def test_berth_is_free():\n    assert BERTH_COUNT == 7\n"
_COMMITS = (
    {"yard.py": "BERTH_COUNT = 7\n", "tests/test_yard.py": _TESTS},
    {"yard.py": "BERTH_COUNT = 8\nCRANE_LIMIT = 40\n", "crane.py": "def lift_crate(crate_id):\n    return crate_id\n"},
    {"crane.py": "def lift_crate(crate_id, crane_no):\n    return crate_id, crane_no\n"},
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("yard")

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)

    git("init", "-q")
    for number, files in enumerate(_COMMITS):
        for name, text in files.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", f"Step {number} of the yard")
    return root


@pytest.fixture(scope="module")
def messages(repository: Path) -> list[Message]:
    return session_of(repository, turns=100, seed=1)


def test_its_structure_is_sound(messages: list[Message]) -> None:
    assert violations({"messages": messages}) == ()


def test_the_same_seed_gives_the_same_session(repository: Path, messages: list[Message]) -> None:
    assert session_of(repository, turns=100, seed=1) == messages
    assert session_of(repository, turns=100, seed=2) != messages


def test_every_commit_but_the_first_is_done_over_again(messages: list[Message]) -> None:
    wishes = [message["content"] for message in messages if message["role"] == "user"]
    assert wishes == [f"Step {number} of the yard. Keep the tests green." for number in (1, 2)]


def test_edits_and_files_are_the_repositorys_own(messages: list[Message]) -> None:
    calls = [call["function"] for message in messages for call in message.get("tool_calls", [])]
    written = [json.loads(call["arguments"]) for call in calls if call["name"] == "write"]
    edited = [json.loads(call["arguments"]) for call in calls if call["name"] == "edit"]
    assert written == [{"path": "crane.py", "content": "def lift_crate(crate_id):\n    return crate_id"}]
    assert {edit["path"] for edit in edited} == {"yard.py", "crane.py"}
    assert any("CRANE_LIMIT = 40" in edit["newText"] for edit in edited)


def test_the_replay_reads_it(messages: list[Message], tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text(json.dumps(messages))
    (session,) = load(tmp_path / "session.json")
    assert session.mends == ()
    assert len(session.messages) == len(messages)


def test_a_session_may_be_cut_short(repository: Path) -> None:
    made = session_of(repository, turns=3, seed=1)
    assert 3 <= sum(bool(message.get("tool_calls")) for message in made) <= 6
