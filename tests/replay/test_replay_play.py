"""Whole sessions through the proxy's own editing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from policies.schema import Policy
from policies.terms import CachePrices
from proxy.context import ContextEngine
from proxy.replay import Recorded, RecordingError, load
from proxy.replay import track as track_module
from proxy.replay.figures import figures
from proxy.replay.play import replay
from proxy.replay.setup import WRITTEN_OUT
from tests.replay.replay_builders import session, setup
from tests.replay.replay_sessions import four_files
from tests.replay.samples import calls, result, says, user


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> list[Recorded]:
    return [one for path in four_files(tmp_path_factory.mktemp("four")) for one in load(path)]


@pytest.mark.parametrize("policy", ["default", "coding"])
@pytest.mark.parametrize("window", [128_000, 32_000])
def test_whole_sessions_stay_sound_and_every_break_has_its_batch(four: list[Recorded], window: int, policy: str):
    for one in four:
        for played in replay(one, setup(policy, window)).played:
            figure = figures(played)
            assert (figure.faults, figure.failed_open, figure.restarts_identical) == (0, 0, 1)
            assert figure.untouched.breaks == 0
            assert figure.evidence.reachable == figure.evidence.used
            for row in played.rows:
                assert row.forwarded is None or row.forwarded.tokens <= window
                assert row.forwarded is None or row.forwarded.broke <= bool(row.new_batches)


def test_the_sessions_rely_on_what_tools_found(four: list[Recorded]):
    for one in four:
        evidence = figures(replay(one, setup("observe")).main).evidence
        assert evidence.used
        assert evidence.in_context == evidence.used


def test_a_policy_that_changes_nothing_costs_the_same():
    figure = figures(replay(session(), setup("observe", 8_000)).main)
    assert (figure.cost_ratio, figure.worst, figure.token_ratio) == (1, 1, 1)
    assert figure.over_window > 0


def test_the_untouched_side_reads_its_whole_history_back():
    rows = replay(session(turns=3), setup()).main.rows
    assert rows[0].untouched.cached == 0
    for earlier, later in pairwise(rows):
        assert later.untouched.cached == earlier.untouched.tokens


def test_definitions_are_part_of_every_request():
    with_tools = session(turns=1)
    without = Recorded("s", with_tools.messages, None, "openai-chat")
    more, fewer = (replay(one, setup()).main.rows[0].untouched.tokens for one in (with_tools, without))
    assert more > fewer + 10


def test_the_answer_is_the_output_and_the_last_one_counts_too():
    short, long = (replay(session(turns=2, closing=text), setup()).main.rows for text in ("Done.", "Done. " * 50))
    assert [row.output for row in short][:-1] == [row.output for row in long][:-1]
    assert long[-1].output > short[-1].output + 90


def test_each_regime_is_edited_by_its_own_prices():
    one = replay(session(turns=40), setup())
    assert tuple(played.prices for played in one.played) == WRITTEN_OUT
    cached, uncached = figures(one.played[0]), figures(one.played[2])
    assert uncached.cost_batches > cached.cost_batches


def test_a_regime_asked_for_comes_first_and_none_comes_twice():
    assert setup(prices=CachePrices(1.0, 1.0)).regimes == (CachePrices(1.0, 1.0), *WRITTEN_OUT[:2])
    assert setup(prices=CachePrices(1.0, 0.5)).regimes == (CachePrices(1.0, 0.5), *WRITTEN_OUT)


def test_a_window_that_nothing_fits_is_the_brake_and_not_a_bill():
    rows = replay(session(turns=3, lines=2), setup(window=40)).main.rows
    assert [row.forwarded for row in rows] == [None] * 4
    figure = figures(replay(session(turns=3, lines=2), setup(window=40)).main)
    assert (figure.requests, figure.brakes, figure.untouched.tokens, figure.restarts) == (0, 4, 0, 0)


def recalled(lines: int) -> Recorded:
    """The closing words rely on the first result."""
    return session(turns=30, lines=lines, closing="It was crane_0_7 in srv/yard.py.")


def test_evidence_that_was_cleared_is_out_of_context_but_reachable():
    small = setup(window=16_000)
    evidence = figures(replay(recalled(60), small).main).evidence
    assert (evidence.used, evidence.in_context, evidence.reachable) == (1, 0, 1)


def test_evidence_in_dropped_turns_is_reachable_through_the_notice():
    dropping = Policy.model_validate({"history": {"clear_results": {"enabled": False}}})
    one = replay(recalled(60), setup("dropping", 16_000, dropping=dropping)).main
    evidence = figures(one).evidence
    assert (evidence.used, evidence.in_context, evidence.reachable) == (1, 0, 1)


def test_cleared_arguments_show_in_reuse_and_not_in_evidence():
    body = "\n".join(f"    level_{line} = height({line})" for line in range(400))
    wrote = calls("w", name="write", arguments=f'{{"text": {_quoted(body)}}}')
    rest = session(turns=30, closing="So level_77 is wrong.").messages[2:]
    one = Recorded("s", [user("go"), wrote, result("w", "ok"), *rest], None, "openai-chat")
    figure = figures(replay(one, setup(window=16_000)).main)
    assert figure.evidence.used == 0
    assert (figure.reuse.used, figure.reuse.in_context, figure.reuse.reachable) == (1, 0, 1)


def _quoted(text: str) -> str:
    return '"' + text.replace("\n", "\\n") + '"'


def test_a_restart_that_gives_other_bytes_is_told(monkeypatch: pytest.MonkeyPatch):
    made: list[ContextEngine] = []

    def other_each_time(policies: dict[str, Policy], *rest: object) -> ContextEngine:
        changed = {**policies, "default": policies["observe" if len(made) > 2 else "default"]}
        made.append(ContextEngine(changed, *rest))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(track_module, "ContextEngine", other_each_time)
    assert [played.restart for played in replay(session(), setup(window=16_000)).played] == [False] * 3


def test_a_policy_that_fails_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ContextEngine, "_decide", lambda *_: 1 / 0)
    assert all(row.failed_open for row in replay(session(turns=1), setup()).main.rows)


def test_half_an_emoji_is_replayed_as_the_proxy_mends_it():
    one = Recorded("s", [user("look \ud83d here"), says("I see.")], None, "openai-chat")
    assert len(replay(one, setup()).main.rows) == 1


def test_a_request_that_the_proxy_refuses_is_named():
    one = Recorded("s", [user("hi"), says("a"), user("go"), says("b", tool_calls=[4])], None, "openai-chat")
    with pytest.raises(RecordingError, match=r"^s, request 2: answer.tool_calls\[0\] must be an object"):
        replay(one, setup())
