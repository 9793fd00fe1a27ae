"""Two audits side by side."""

from __future__ import annotations

import pytest

from policies.audit import Audit, Change, Finding, Prompt, Text, audit, difference
from tests.build import count


def audited(text: str) -> Audit:
    return audit(Prompt((Text("system", text),), (), (), count(text)), count)


def test_rows_are_matched_by_name_whatever_number_stands_before_it():
    change = difference(audited("# 1. Rules\na b c\n# Old\nx\n"), audited("# RULES\na\n# New\ny z\n"))
    assert change.rows == (
        Change("system", "1. Rules", 6, 3), Change("system", "Old", 3, None), Change("system", "New", None, 4),
    )  # fmt: skip
    assert [row.tokens for row in change.rows] == [-3, -3, 4]
    assert change.tokens == -2


def test_findings_that_went_and_came_are_told():
    change = difference(
        audited("# A\nPlease go. \n# B\nPlease stay.\n"), audited("# B\nPlease stay.\n# C\nPlease, wait.\n")
    )
    assert [one.places[0].name for one in change.gone] == ["A"]
    assert [one.places[0].name for one in change.new] == ["C"]


def test_the_explained_part_is_what_the_gone_findings_claimed_of_what_went():
    change = difference(audited("# A\nPlease go now to bed.\n"), audited("# A\ngo now.\n"))
    assert change.tokens == -3
    assert change.explained == pytest.approx(1 / 3)


def test_a_prompt_that_grew_is_explained_by_nothing():
    assert difference(audited("a"), audited("a b")).explained is None


def test_the_same_finding_twice_is_matched_once():
    finding = Finding("filler", 1, (), "please", "", "", "system A")
    one, two = Audit((), 5, 5, (finding,)), Audit((), 5, 5, (finding, finding))
    assert difference(two, one).gone == (finding,)
    assert not difference(two, one).empty


def test_nothing_differs_between_a_prompt_and_itself():
    text = "# A\nPlease go to bed now.\n# B\nGo to bed now.\n"
    change = difference(audited(text), audited(text))
    assert change.empty
    assert (change.gone, change.new, change.tokens) == ((), (), 0)
