"""Names in stubs are taken away again, wherever a stub lists them."""

from __future__ import annotations

from policies import markers
from proxy.replay.names import without_names


def test_the_names_of_a_cleared_result_are_taken_away():
    names = markers.listed(["crane_07", "a.py"])
    stub = f"{markers.cleared(900, 40, 'art_aaaabbbbcccc')}\nValueError: no berth\n[{names}]"
    assert "crane_07" not in without_names(stub)
    assert "ValueError: no berth" in without_names(stub)


def test_the_names_of_cleared_arguments_are_taken_away():
    marker = markers.cleared_value(900, "art_aaaabbbbcccc", ["crane_07", "a.py"])
    assert without_names(marker) == markers.cleared_value(900, "art_aaaabbbbcccc", [])


def test_other_text_stays():
    assert without_names("the names: a, b\n[1, 2]") == "the names: a, b\n[1, 2]"
