"""The ablation changes one thing at a time, and only things that are there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.steps import NUMBERS, OFF, changed, table, variants
from policies.schema import Policy
from proxy.replay import Recorded
from proxy.replay.asked import setup_for


@pytest.mark.parametrize("name", OFF)
def test_every_step_can_be_switched_off(name: str) -> None:
    assert changed(Policy(), OFF[name]) != Policy()


def test_a_key_that_is_none_is_told() -> None:
    with pytest.raises(KeyError, match="keep_turns"):
        changed(Policy(), {"keep_turns": 3})


@pytest.mark.parametrize("path", NUMBERS)
def test_every_number_is_moved_away_from_its_default_and_back(path: str) -> None:
    tried = [change for _, change in variants(Policy(), numbers=True) if path in change]
    assert len(tried) == len(NUMBERS[path]) - 1  # the default is among those listed
    assert all(changed(Policy(), change) != Policy() for change in tried)


def test_the_table_has_a_line_for_the_policy_as_it_is_and_one_for_each_step() -> None:
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "done with yard_7"}]
    session = Recorded("one", messages, None, "chat")
    setup = replace(setup_for("default"), others=())
    heads, first, *lines = table([session], setup, numbers=False)
    assert "evidence" in heads
    assert first.split()[:3] == ["as", "it", "is"]
    assert len(lines) == len(OFF)
    assert {line.split()[-8] for line in (first, *lines)} == {"1.000"}
