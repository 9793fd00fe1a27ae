"""The bodies that an agent sent."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from proxy.demo.coding import coding
from proxy.demo.session import requests as scripted
from proxy.demo.structure import violations
from proxy.replay import Recorded, load, requests
from tests.replay.generated import customer_service, shell_agent
from tests.replay.samples import chat, says, system, user, write


def recorded(*messages: dict[str, object], **more: object) -> Recorded:
    return Recorded("r", list(messages), None, "openai-chat", **more)  # type: ignore[arg-type]


def test_each_answer_has_one_request_with_the_history_before_it():
    bodies = list(requests(recorded(*chat()), "m"))
    assert [body["messages"] for body in bodies] == [chat()[:2], chat()[:4], chat()[:6]]
    assert {body["model"] for body in bodies} == {"m"}


def test_the_same_definitions_stand_in_every_request(tmp_path: Path):
    [session] = load(write(tmp_path, chat()))
    bodies = list(requests(session, "m"))
    assert [body["tools"] for body in bodies] == [session.tools] * 3


def test_a_session_without_calls_sends_no_tools():
    assert "tools" not in next(requests(recorded(user("hi"), says("hello")), "m"))


def test_a_greeting_before_the_user_spoke_was_not_asked_for():
    bodies = list(requests(recorded(system(), says("Welcome!"), user("hi"), says("hello")), "m"))
    assert [len(body["messages"]) for body in bodies] == [3]


def test_a_captured_request_is_itself_the_last_body():
    bodies = list(requests(recorded(*chat()[:4], unanswered=True), "m"))
    assert [len(body["messages"]) for body in bodies] == [2, 4]


def test_results_that_nobody_answered_are_no_request():
    assert [len(body["messages"]) for body in requests(recorded(*chat()[:4]), "m")] == [2]


def test_an_empty_session_sends_nothing():
    assert list(requests(recorded(), "m")) == []
    assert list(requests(recorded(unanswered=True), "m")) == []


def test_a_scripted_session_comes_back_request_by_request(tmp_path: Path):
    """The demo's session, written down as its agent's last request and read again, sends what it sent."""
    sent = list(scripted(coding(), "m"))
    [session] = load(write(tmp_path, sent[-1]))
    assert list(requests(session, "m")) == sent


@pytest.mark.parametrize("make", [customer_service, shell_agent])
def test_generated_sessions_send_sound_requests_that_grow(tmp_path: Path, make):
    [session] = load(write(tmp_path, make()))
    bodies = list(requests(session, "m"))
    assert len(bodies) == sum(message["role"] == "assistant" for message in session.messages)
    assert [violations(body) for body in bodies] == [()] * len(bodies)
    assert session.mends == ()
    for earlier, later in pairwise(bodies):
        assert json.dumps(later["messages"]).startswith(json.dumps(earlier["messages"])[:-1])
