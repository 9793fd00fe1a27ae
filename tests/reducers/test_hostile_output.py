"""Outputs made to be slow or confusing: reducing them ends, and loses no line without a mark."""

from __future__ import annotations

import pytest

from policies.reducers.preview import preview
from tests.reducers.reducing import LOCATOR, body, no_outline, shown

PIECES = [
    " ",
    "a",
    "(",
    ":",
    "/",
    "-",
    "=",
    '"',
    "{",
    "[",
    "<",
    ".",
    ",",
    "|",
    "\t",
    "\\",
    "a:1",
    " at (",
    "a/",
    '"a":',
    "a ",
    "E",
    "1:",
]


def count(text: str) -> int:
    """A count that costs nothing on a megabyte."""
    return len(text) // 4 + 1


def reduced(text: str) -> None:
    made = preview(text, 600, LOCATOR, count, no_outline)
    if made is not None:
        shown(body(made.text), text)


@pytest.mark.parametrize("piece", PIECES)
def test_a_megabyte_on_one_line(piece: str):
    reduced(piece * (1_000_000 // len(piece)))


@pytest.mark.parametrize("piece", PIECES)
def test_many_long_lines_of_one_sign(piece: str):
    reduced("\n".join([piece * (500 // len(piece))] * 400))


@pytest.mark.parametrize("piece", ["", "a", " ", "x = 1", "Error: ", "a/b.py", "{", "12:", "- "])
def test_two_hundred_thousand_short_lines(piece: str):
    reduced("\n".join([piece] * 200_000))


@pytest.mark.parametrize(
    "opening", ["  at ", 'File "', "error: ", "E   ", "diff --git ", "@@ -", "<html>", "|", "Traceback "]
)
def test_a_known_opening_before_a_megabyte(opening: str):
    for piece in (" ", "a", "(", "a:1:", "/"):
        reduced(opening + piece * (1_000_000 // len(piece)))
