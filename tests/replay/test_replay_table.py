"""The table that a person reads."""

from __future__ import annotations

import re

from proxy.replay.rows import Replayed
from proxy.replay.table import report
from tests.replay.replay_builders import recall, replayed, row, setup


def shown(*sessions: Replayed) -> str:
    return report(sessions, setup())


def line(text: str, start: str) -> list[str]:
    """The cells of the line that starts so."""
    [found] = [one for one in text.splitlines() if one.startswith(start)]
    return re.split(r" {2,}", found.strip())


def test_untouched_stands_beside_proxied():
    text = shown(replayed(row(1_000, 600, output=10, evidence=recall(4, 3)), name="yard"))
    assert text.splitlines()[0] == "yard, 1 requests, policy default"
    assert "window 272,000, the answer in it; prices 1.25/0.1" in text
    assert line(text, "tokens sent") == ["tokens sent", "1,000", "600", "0.600"]
    assert line(text, "cost  ") == ["cost", "1,300", "800", "0.615"]
    assert line(text, "evidence in context") == ["evidence in context", "1.000", "0.750", "3 of 4"]


def test_each_regime_has_a_line():
    text = shown(replayed(row(100, 50)))
    assert [line(text, start)[1:3] for start in ("1.25/0.1", "1/0.1", "1/1 (no cache)")] == [["50", "0.500"]] * 3


def test_what_cannot_be_divided_is_a_dash():
    text = shown(replayed(row(100, None)))
    assert line(text, "worst cost at any prefix")[-1] == "-"
    assert line(text, "brake answers")[-1] == "1"


def test_a_few_sessions_are_all_listed_the_dearest_first():
    text = shown(*(replayed(row(100, 100 + index), name=f"s{index}") for index in range(3)))
    listed = text[text.index("\nsession ") :].splitlines()[2:]
    assert [one.split()[0] for one in listed if one] == ["s2", "s1", "s0"]


def test_of_many_sessions_the_worst_are_named_by_cost_prefix_evidence_and_trouble():
    usual = [replayed(row(100, 90), name=f"usual{index}") for index in range(40)]
    dear = replayed(row(100, 150), name="dear")
    dear_at_first = replayed(row(100, 150), row(900, 100), name="early")
    blind = replayed(row(100, 80, evidence=recall(4, 1)), name="blind")
    stopped = replayed(row(100, 80), row(100, None), name="stopped")
    text = shown(*usual, dear, dear_at_first, blind, stopped)
    assert text.startswith("44 sessions, 46 requests")
    listed = text[text.index("the worst of 44 sessions") :].splitlines()[1:]
    names = {one.split()[0] for one in listed if one}
    assert {"dear", "early", "blind", "stopped"} <= names
    assert len(names) <= 16
    assert line(text, "stopped")[-1] == "1 brake"


def test_faults_are_told_in_sentences_with_session_and_request():
    text = shown(replayed(row(9, 9), row(9, 9, faults=("it broke",)), row(9, 9, failed_open=True), name="yard"))
    assert "FAULT in yard, request 2: it broke\n" in text
    assert "FAULT in yard, request 3: the policy failed and the original was forwarded\n" in text


def test_mended_recordings_are_told():
    text = shown(replayed(row(9, 9), mends=("a", "b")), replayed(row(9, 9)))
    assert "2 places of 1 recordings were mended to be sound; --json says which." in text


def test_it_fits_a_hundred_columns():
    big = row(123_456_789, 98_765_432, output=5_000_000, new_batches=("window",), evidence=recall(12_345, 12_344))
    text = shown(*(replayed(big, big, name=f"{'long' * 12}{index}") for index in range(3)))
    assert max(map(len, text.splitlines())) <= 100
