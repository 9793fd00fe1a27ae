"""Generated sessions: sound, the same every time, as long as they say, and made of what stands in their sources."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sessions.__main__ import SERVICE_SESSIONS, main
from benchmarks.sessions.long import long_session
from benchmarks.sessions.repository import Repository
from benchmarks.sessions.service import service_session
from benchmarks.sessions.short import short_sessions
from proxy.demo.structure import violations
from proxy.replay import load, requests
from proxy.tokens import Counter

COUNT = Counter("o200k_base").count
COMMITS = 40
_WORDS = ("berth", "crane", "cargo", "tide", "pilot", "quay", "anchor", "manifest", "harbour", "vessel", "ballast")
_SHARED = ("moor_the_vessel", "weigh_the_cargo", "tide_table_of", "next_free_berth")

Body = dict[str, Any]


def _module(rng: random.Random, number: int) -> list[str]:
    names = ["_".join(rng.sample(_WORDS, 3)) for _ in range(rng.choice((10, 20, 30, 36, 120)))]
    functions = (
        [
            f"def {name}(first, second):",
            f"    limit = {rng.randint(100, 9_999)}",
            f"    if first > limit: raise ValueError('{name} over', limit)",
            f"    return {rng.choice(_SHARED)}(first, second) * {number}",
            "",
        ]
        for name in names
    )
    return [line for function in functions for line in function]


def _tests(rng: random.Random, module: str) -> str:
    names = ["_".join(rng.sample(_WORDS, 4)) for _ in range(rng.randint(2, 20))]
    return "\n".join(f"def test_{name}():\n    assert {module}.{name} == {rng.randint(100, 999)}\n" for name in names)


def _edited(rng: random.Random, lines: Sequence[str]) -> list[str]:
    """A module with the numbers of one or two places moved."""
    numbers = [at for at, line in enumerate(lines) if "limit =" in line]
    moved = set(rng.sample(numbers, rng.randint(1, 2)))
    return [f"    limit = {rng.randint(100, 9_999)}" if at in moved else line for at, line in enumerate(lines)]


def _grow(root: Path, rng: random.Random, step: int, modules: dict[str, list[str]]) -> None:
    """One step of a history: new modules with tests, and changes to older ones."""
    for path in rng.sample(sorted(modules), min(6, len(modules))):
        modules[path] = _edited(rng, modules[path])
    for number in range(3):
        name = f"{rng.choice(_WORDS)}_{step}_{number}"
        modules[f"yard/{name}.py"] = _module(rng, number)
        (root / f"tests/test_{name}.py").write_text(_tests(rng, name))
    for path, lines in modules.items():
        (root / path).write_text("\n".join([*lines, ""]))
    (root / "README.md").write_text(f"# Yard\n\nStep {step}.\n")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("yard")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")
    rng, modules = random.Random(1), dict[str, list[str]]()
    for folder in ("yard", "tests"):
        (root / folder).mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    for step in range(COMMITS + 1):
        _grow(root, rng, step, modules)
        subprocess.run(["git", "add", "."], cwd=root, check=True)
        subprocess.run(["git", *who, "commit", "-q", "-m", f"Step {step} of the yard"], cwd=root, check=True)
    return root


@pytest.fixture(scope="module")
def written(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    main([str(out), "--repository", str(repository)])
    return out


@pytest.fixture(scope="module")
def bodies(written: Path) -> dict[str, list[Body]]:
    kinds = ("long", "short", "service")
    return {kind: [json.loads(path.read_text()) for path in sorted((written / kind).iterdir())] for kind in kinds}


def _answers(body: Body) -> int:
    return sum(message["role"] == "assistant" for message in body["messages"])


def _calls(body: Body) -> Iterator[tuple[int, str, dict[str, Any], str]]:
    """Place, tool, arguments and result of every call."""
    results = {message["tool_call_id"]: message["content"] for message in body["messages"] if message["role"] == "tool"}
    for place, message in enumerate(body["messages"]):
        for call in message.get("tool_calls", ()):
            yield place, call["function"]["name"], json.loads(call["function"]["arguments"]), results[call["id"]]


def _sizes(body: Body) -> tuple[list[int], int, int]:
    """Tokens of each result, of all arguments, of all."""
    results = [COUNT(message["content"]) for message in body["messages"] if message["role"] == "tool"]
    calls = [call["function"] for message in body["messages"] for call in message.get("tool_calls", ())]
    arguments = sum(COUNT(call["arguments"]) for call in calls)
    return results, arguments, sum(COUNT(message["content"] or "") for message in body["messages"]) + arguments


@pytest.mark.parametrize("kind", ["long", "short", "service"])
def test_every_call_is_answered_and_roles_are_legal(bodies: dict[str, list[Body]], kind: str) -> None:
    assert [violations(body) for body in bodies[kind]] == [()] * len(bodies[kind])


@pytest.mark.parametrize("kind", ["long", "short", "service"])
def test_call_ids_are_unique_and_tools_are_defined(bodies: dict[str, list[Body]], kind: str) -> None:
    for body in bodies[kind]:
        calls = [call for message in body["messages"] for call in message.get("tool_calls", ())]
        assert len({call["id"] for call in calls}) == len(calls)
        assert {call["function"]["name"] for call in calls} <= {tool["function"]["name"] for tool in body["tools"]}


@pytest.mark.parametrize("kind", ["long", "short", "service"])
def test_calls_give_what_their_tool_requires_and_nothing_that_it_does_not_know(
    bodies: dict[str, list[Body]], kind: str
) -> None:
    for body in bodies[kind]:
        schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in body["tools"]}
        for _, tool, arguments, _ in _calls(body):
            assert set(schemas[tool]["required"]) <= set(arguments) <= set(schemas[tool]["properties"])


@pytest.mark.parametrize("kind", ["long", "short", "service"])
def test_the_replay_reads_them_with_no_mends(written: Path, kind: str) -> None:
    for path in (written / kind).iterdir():
        (session,) = load(path)
        assert session.mends == ()
        assert len(list(requests(session, "any"))) == _answers(json.loads(path.read_text()))


def test_the_same_seed_gives_the_same_sessions_and_another_seed_others(repository: Path) -> None:
    def made(seed: int) -> list[list[dict[str, Any]]]:
        long = long_session(repository, 1, seed, len)
        short = short_sessions(repository, seed, len)
        return [session.messages for session in (long, *short, service_session(str(seed), len))]

    first, other = made(1), made(2)
    assert made(1) == first
    assert all(one != two for one, two in zip(first, other, strict=True))


def test_the_long_session_is_as_long_as_real_ones(bodies: dict[str, list[Body]]) -> None:
    (body,) = bodies["long"]
    assert 400 <= _answers(body) <= 500
    assert 200_000 <= _sizes(body)[2] <= 260_000


def test_the_long_session_mixes_small_and_large_as_far_as_its_history_allows(bodies: dict[str, list[Body]]) -> None:
    """Steered, not fixed: this history changes single lines, so its edits are short and arguments under a third."""
    results, arguments, every = _sizes(bodies["long"][0])
    assert 150 <= statistics.median(results) <= 300
    assert max(results) > 5 * statistics.median(results)
    assert 0.2 <= arguments / every <= 0.4


def test_short_sessions_have_fifteen_to_forty_answers(bodies: dict[str, list[Body]]) -> None:
    assert len(bodies["short"]) == 8
    assert all(15 <= _answers(body) <= 40 for body in bodies["short"])


def test_at_the_desk_sessions_are_short_and_different(bodies: dict[str, list[Body]]) -> None:
    assert all(8 <= _answers(body) <= 25 for body in bodies["service"])
    assert all(10 <= len(body["tools"]) <= 14 for body in bodies["service"])
    assert max(max(_sizes(body)[0]) for body in bodies["service"]) <= 2_500
    assert len({json.dumps(body["messages"]) for body in bodies["service"]}) == SERVICE_SESSIONS


def test_edits_and_files_of_the_long_session_are_the_historys_own(
    repository: Path, bodies: dict[str, list[Body]]
) -> None:
    git = Repository(repository)
    commits = git.commits(COMMITS)
    ids = [commits[0].parent, *(commit.id for commit in commits)]
    for _, tool, arguments, _ in _calls(bodies["long"][0]):
        if tool not in ("edit", "write"):
            continue
        versions = ["\n".join([*git.lines(id_, arguments["path"]), ""]) for id_ in ids]
        if tool == "write":
            assert arguments["content"] in versions
        else:
            steps = pairwise(versions)
            assert any(arguments["oldText"] in old and arguments["newText"] in new for old, new in steps)


def test_what_the_long_session_reads_stands_there(repository: Path, bodies: dict[str, list[Body]]) -> None:
    git = Repository(repository)
    ids = [commit.id for commit in git.commits(COMMITS)]
    ids.insert(0, git.commits(COMMITS)[0].parent)
    reads = [(arguments, result) for _, tool, arguments, result in _calls(bodies["long"][0]) if tool == "read"]
    assert reads
    for arguments, result in reads:
        first = arguments.get("offset", 1) - 1
        wanted = result.partition("\n\n[")[0].splitlines()
        shown = [git.lines(id_, arguments["path"])[first : first + len(wanted)] for id_ in ids]
        assert wanted in shown


def test_later_commits_come_back_to_files_seen_before(bodies: dict[str, list[Body]]) -> None:
    places: dict[str, list[int]] = {}
    for place, tool, arguments, _ in _calls(bodies["long"][0]):
        if tool == "edit":
            places.setdefault(arguments["path"], []).append(place)
    assert max(found[-1] - found[0] for found in places.values()) > 200


def test_a_window_shows_the_lines_that_an_edit_put_there(bodies: dict[str, list[Body]]) -> None:
    edits = [call for body in bodies["short"] for call in _calls(body) if call[1] == "edit"]
    assert edits
    for _, _, arguments, result in edits:
        lines = enumerate(arguments["replacement"].split("\n")[:50], arguments["start"])
        assert {f"{number}:{line}" for number, line in lines} <= set(result.splitlines())


def test_the_desk_uses_numbers_that_it_was_told(bodies: dict[str, list[Body]]) -> None:
    for body in bodies["service"]:
        for place, tool, arguments, _ in _calls(body):
            told = " ".join(message["content"] or "" for message in body["messages"][:place])
            keys = {
                "customer_id",
                "order_id",
                "article_id",
                "items",
                "new_items",
                "trip",
                "flight",
                "way_to_pay",
                "email",
            }
            values = [arguments[key] for key in keys & set(arguments)]
            flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
            assert [one for one in flat if one not in told] == [], tool
