from __future__ import annotations

import random

import pytest

from proxy.workspaces.matching import matching, queried, words
from proxy.workspaces.symbol import Symbol


def named(*names: str) -> list[tuple[str, list[Symbol]]]:
    symbols = []
    for line, name in enumerate(names, start=1):
        owner, _, last = name.rpartition(".")
        symbols.append(("m.py", [Symbol(last, "function", owner, line, line, 0)]))
    return symbols


def found(query: str, *names: str) -> list[str]:
    matches, total = matching(queried(query), named(*names), 100)
    assert total == len(matches)
    return [symbol.qualified for _, _, symbol in matches]


def test_exact_comes_before_case_before_prefix_before_substring_before_words() -> None:
    names = ["open_parsed_file", "reparse", "parser", "Parse", "parse"]
    assert found("parse", *names) == ["parse", "Parse", "parser", "reparse", "open_parsed_file"]


def test_separators_and_case_make_no_difference() -> None:
    assert found("readFile", "read_file", "ReadFile", "readfile") == ["ReadFile", "readfile", "read_file"]


@pytest.mark.parametrize("query", ["read file", "file read", "file_read", "fileRead", "rea fil"])
def test_words_match_in_any_order_by_their_beginnings(query: str) -> None:
    assert "read_large_file" in found(query, "read_large_file", "read_large_text")
    assert "read_large_text" not in found(query, "read_large_file", "read_large_text")


def test_words_may_be_those_of_the_owner() -> None:
    assert found("boat speed", "Boat.max_speed", "Crane.max_speed") == ["Boat.max_speed"]


def test_the_owner_named_comes_first_others_after() -> None:
    assert found("Boat.sail", "Crane.sail", "Boat.sail", "sail") == ["Boat.sail", "Crane.sail", "sail"]


def test_the_order_does_not_depend_on_the_order_of_the_files() -> None:
    names = [f"{owner}parse{end}" for owner in ("", "A.", "B.") for end in ("", "r", "_all", "d")]
    expected = found("parse", *names)
    symbols = named(*names)
    for seed in range(20):
        random.Random(seed).shuffle(symbols)
        assert [symbol.qualified for _, _, symbol in matching(queried("parse"), symbols, 100)[0]] == expected


def test_only_the_most_are_given_and_all_are_counted() -> None:
    matches, total = matching(queried("f"), named(*(f"f{n}" for n in range(50))), 3)
    assert ([symbol.name for _, _, symbol in matches], total) == (["f0", "f1", "f2"], 50)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("readLargeFile", {"read", "large", "file"}),
        ("HTTPServer2", {"http", "server", "2"}),
        ("__init__", {"init"}),
        ("größe", {"grösse"}),
        ("日本", {"日本"}),
    ],
)
def test_words_of_a_name(name: str, expected: set[str]) -> None:
    assert words(name) == expected
