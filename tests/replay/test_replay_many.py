"""Many sessions at once, and what the command line's words become."""

from __future__ import annotations

from pathlib import Path

import pytest

from policies.terms import CachePrices
from proxy.replay.asked import setup_for
from proxy.replay.many import WORTH_PROCESSES, replay_all
from proxy.settings import ConfigError
from tests.replay.replay_builders import session, setup


def test_processes_give_what_one_gives_in_the_order_given():
    sessions = [session(turns=1 + index % 3, lines=3, name=f"s{index}") for index in range(WORTH_PROCESSES)]
    done: list[str] = []
    together = replay_all(sessions, setup(), done.append, workers=2)
    assert together == replay_all(sessions, setup(), lambda name: None, workers=1)
    assert [one.name for one in together] == [f"s{index}" for index in range(WORTH_PROCESSES)]
    assert sorted(done) == sorted(one.name for one in sessions)


def test_without_a_model_window_and_prices_are_the_standard_ones():
    asked = setup_for("coding")
    assert (asked.policy_name, asked.route.window, asked.route.window_includes_output) == ("coding", 272_000, True)
    assert asked.prices == CachePrices(1.25, 0.1)


def test_a_model_brings_its_window_prices_and_vocabulary():
    asked = setup_for("default", model="openai/gpt-4o")
    assert (asked.route.window, asked.route.encoding, asked.prices) == (128_000, "o200k_base", CachePrices(1.0, 0.5))
    assert setup_for("default", model="gpt-4").route.encoding == "cl100k_base"


def test_window_and_prices_that_are_stated_beat_the_models():
    asked = setup_for("default", model="openai/gpt-4o", window=9_000, prices=CachePrices(2.0, 0.1))
    assert (asked.route.window, asked.prices) == (9_000, CachePrices(2.0, 0.1))


def test_the_engine_is_told_the_prices_of_its_regime():
    prices = setup().route_at(CachePrices(1.25, 0.1)).prices
    assert (prices.input, prices.output, prices.cache_write, prices.cache_read) == (1.0, 5.0, 1.25, 0.1)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("hosted_vllm/mine", "the window of 'hosted_vllm/mine' is unknown; state it with --window"),
        ("nowhere/x", "has no known provider"),
        ("openai/*", "is no model; write provider/model"),
        ("", "is no model; write provider/model"),
    ],
)
def test_a_model_that_leads_nowhere_is_told(model: str, told: str):
    with pytest.raises(ConfigError, match=r"^--model: ") as caught:
        setup_for("default", model=model)
    assert told in str(caught.value)


def test_a_model_of_ones_own_needs_only_its_window():
    assert setup_for("default", model="hosted_vllm/mine", window=9_000).route.window == 9_000


def test_policies_of_ones_own_can_be_tried(tmp_path: Path):
    (tmp_path / "ours.yaml").write_text("extends: coding\nkeep_last_turns: 4\n")
    assert setup_for("ours", tmp_path).policies["ours"].keep_last_turns == 4


def test_an_unknown_policy_is_named_with_what_was_meant():
    with pytest.raises(ConfigError, match=r"^--policy: there is no policy 'codng'; did you mean coding\?$"):
        setup_for("codng")
