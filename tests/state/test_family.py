"""Adding up a family of sessions: every one once, however they name each other, and only so many."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from proxy.state.family import AT_ONCE, MOST, MOST_CALLS, Family, Member, family


def added_up(children: dict[str, list[str]]) -> tuple[Family, list[int]]:
    """The family of `top`, where each session made one request; and how many were asked for at a time."""
    asked: list[int] = []

    async def members(names: Sequence[str]) -> list[Member | None]:
        asked.append(len(names))
        return [Member({"requests": 1}, children.get(name, [])) if name != "expired" else None for name in names]

    return asyncio.run(family("top", Member({"requests": 1}, children["top"]), members)), asked


@pytest.mark.parametrize(
    ("children", "counted"),
    [
        ({"top": []}, 0),
        ({"top": ["a", "b"], "a": ["c"], "c": ["d"]}, 4),
        ({"top": ["a"], "a": ["top"]}, 1),
        ({"top": ["a", "b"], "a": ["b"], "b": ["a"]}, 2),
        ({"top": ["top"]}, 0),
        ({"top": ["a", "a", "expired"]}, 1),
    ],
    ids=["alone", "deep", "ring", "two parents", "its own child", "twice and expired"],
)
def test_each_descendant_counts_once(children: dict[str, list[str]], counted: int) -> None:
    found, _ = added_up(children)
    assert found == Family({"requests": 1 + counted}, counted, is_whole=True)


def test_a_family_without_end_is_cut_off_and_says_so() -> None:
    found, asked = added_up({f"{n}" if n else "top": [f"{n + 1}"] for n in range(2 * MOST)})
    assert (found.descendants, found.is_whole, len(asked)) == (MOST_CALLS, False, MOST_CALLS)


def test_a_wide_family_is_asked_for_in_parts() -> None:
    found, asked = added_up({"top": [f"{n}" for n in range(MOST + 5)]})
    assert (found.descendants, found.is_whole) == (MOST, False)
    assert asked == [AT_ONCE] * (MOST // AT_ONCE)
