"""Which turns may leave together."""

from __future__ import annotations

import pytest

from policies.history.drop import droppable
from policies.turns import Turn


def turns(pattern: str) -> list[Turn]:
    """One turn per letter: u(ser), a(ssistant), s(ystem), p(ending assistant)."""
    roles = {"u": "user", "a": "assistant", "s": "system", "p": "assistant"}
    return [
        Turn(at, at + 1, roles[letter], ("c",) if letter == "p" else ())  # type: ignore[arg-type]
        for at, letter in enumerate(pattern)
    ]


@pytest.mark.parametrize(
    ("pattern", "boundary", "gone"),
    [
        ("aaaa", 2, [0, 1]),
        ("auaua", 2, [0, 1]),
        ("auaua", 1, []),  # would leave the pinned user text before a user turn
        ("auaua", 3, [0, 1]),
        ("asaua", 2, [0]),  # later system text stays
        ("apaa", 3, [0, 2]),  # so does a pending call
        ("upau", 1, []),  # a gap that starts at a user turn may not end before an assistant's
        ("apuaaa", 5, [0, 3, 4]),  # the part after a pinned turn may start later to end where it must
        ("auaap", 4, [0, 1, 2, 3]),
    ],
)
def test_a_gap_starts_and_ends_before_turns_of_one_role(pattern: str, boundary: int, gone: list[int]):
    found = droppable(turns(pattern), boundary)
    assert found == gone


def test_the_users_latest_words_stay_and_so_does_the_answer_before_them():
    assert droppable(turns("aaauaaa"), 6, spared=3) == [0, 1, 4, 5]
