"""What counts as evidence in a text."""

from __future__ import annotations

import pytest

from proxy.replay.evidence import items


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("call foo_bar()", {"foo_bar"}),
        ("crane07 stands", {"crane07"}),
        ("retryCount: 3", {"retryCount"}),
        ('"self.total"', {"self.total"}),
        ("see a.py.", {"a.py"}),
        ("at /srv/yard/move.py:118: in", {"srv/yard/move.py", "118"}),
        ("./tests/yard and ../lib/x_1", {"tests/yard", "lib/x_1"}),
        ("booking 4WQ150 paid 1,234.50", {"4WQ150", "234.50"}),
        ("404 on 2026-07-03 with 1.2.3", {"404", "2026-07-03", "1.2.3"}),
        ("id 7f3a-99b2", {"7f3a-99b2"}),
        ("raised OSError", {"OSError"}),
        ("GapError: x", {"GapError"}),
        ("a mail to m.haverkamp@example.org", {"m.haverkamp", "example.org"}),
    ],
)
def test_identifiers_paths_numbers_and_errors_are_items(text: str, found: set[str]):
    assert items(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "The quick brown fox, well-known and re-used.",
        "HTTP TODO Error Exception error failed",
        "42 99 7.5 -1",
        "x_1 b.c a/b",
        "and/or e.g. i.e. UTF-8 GitHub stdin/stdout",
        "100 1000",
        "--- ... === /// _",
        "",
    ],
)
def test_words_short_names_and_common_ones_are_none(text: str):
    assert items(text) == frozenset()


def test_an_escape_in_quoted_text_belongs_to_no_item():
    assert items(r'{"out": "done\nbaz_qux\t17\\nnext_one\u00e9end_2"}') == {"baz_qux", "next_one", "end_2"}


def test_a_colour_code_belongs_to_no_item():
    assert items("\x1b[31mred_one\x1b[0m") == {"red_one"}


def test_a_run_of_data_is_no_name():
    assert items("A1" * 101) == frozenset()


def test_an_item_is_taken_whole():
    assert items("src/yard/move.py") == {"src/yard/move.py"}
