"""Structural faults that are ours and not the client's."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.replay.ledger import Ledger, RememberingCounter
from proxy.replay.prompt import Prompt
from proxy.replay.soundness import Soundness, faults
from proxy.wire.envelope import slice_body
from tests.laws.proxied import dumped
from tests.replay.samples import calls, chat, result, says, system, user


def test_the_same_messages_have_none():
    assert faults(chat(), chat()) == ()


def test_a_result_without_its_call_is_one():
    [fault] = faults([*chat()[:2], *chat()[3:]], chat())
    assert "orphan" in fault


def test_the_clients_own_fault_is_not_ours_even_where_it_moved():
    untouched = [user("go"), says("a"), user("b"), says("c"), result("nobody"), user("d")]
    assert faults([untouched[0], *untouched[3:]], untouched) == ()


def test_a_second_fault_of_the_clients_kind_is_ours():
    untouched = [user("go"), result("c1"), user("d")]
    forwarded = [user("go"), result("c1"), result("c1"), user("d")]
    assert len(faults(forwarded, untouched)) == 1


def test_system_text_that_changed_is_one():
    [fault, *_] = faults([system("other"), *chat()[1:]], chat())
    assert "system" in fault


@pytest.fixture
def read():
    """Messages read into a ledger, which a Soundness knows too."""
    ledger = Ledger(RememberingCounter("o200k_base"))

    def read(messages: list[Any]) -> Prompt:
        return ledger.prompt(slice_body(dumped({"model": "m", "messages": messages})))

    read.judge = Soundness(ledger)  # type: ignore[attr-defined]
    return read


OLD = [system(), user("go"), calls("c1"), result("c1", "long"), says("so"), user("and?")]
EDITED = [*OLD[:3], result("c1", "short"), *OLD[4:]]


def test_growth_behind_sound_messages_is_not_looked_at_again(read, monkeypatch):
    assert read.judge.faults(read(EDITED), read(OLD)) == ()
    monkeypatch.setattr("proxy.replay.soundness.faults", lambda *_: pytest.fail("looked again"))
    more = [says("well"), user("yes")]
    assert read.judge.faults(read([*EDITED, *more]), read([*OLD, *more])) == ()


def test_a_fault_in_what_was_added_is_found(read):
    assert read.judge.faults(read(EDITED), read(OLD)) == ()
    added = [calls("c2"), result("c2"), says("x")]
    found = read.judge.faults(read([*EDITED, added[0], added[2]]), read([*OLD, *added]))
    assert any("c2" in fault for fault in found)


def test_a_fault_is_found_again_in_the_next_request(read):
    broken = [*EDITED[:2], *EDITED[3:]]
    first = read.judge.faults(read(broken), read(OLD))
    more = [says("well"), user("yes")]
    assert first
    assert read.judge.faults(read([*broken, *more]), read([*OLD, *more])) == first


def test_a_turn_that_the_growth_joins_must_be_the_clients(read):
    """The last answer differs on the two sides, and results are added that only the client's call asked for."""
    untouched = [user("go"), calls("c1", "c2"), result("c1")]
    forwarded = [user("go"), calls("c1"), result("c1")]
    read.judge.faults(read(forwarded), read(untouched))
    read.judge._sound = read(forwarded), read(untouched)  # as if it had been found sound
    found = read.judge.faults(read([*forwarded, result("c2")]), read([*untouched, result("c2")]))
    assert any("orphan" in fault for fault in found)
