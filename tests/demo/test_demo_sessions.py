"""The bundled sessions: their size, their shape, and that they say the same in every run."""

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import pytest

from proxy.demo.coding import coding
from proxy.demo.prompt_cache import PromptCounter
from proxy.demo.review import review
from proxy.demo.session import Call, Script, Session, requests
from proxy.demo.structure import violations
from proxy.tokens import Counter

SESSIONS = pytest.mark.parametrize("session", [review(), coding()], ids=lambda session: session.name)


@cache
def sizes(write: Callable[[], Session]) -> list[int]:
    counter = PromptCounter(Counter("o200k_base").count)
    return [sum(segment.tokens for segment in counter.segments(body)) for body in requests(write())]


def texts(session: Session) -> list[str]:
    return [message["content"] for step in session.steps for message in step.then if message["role"] == "tool"]


def test_the_review_adds_up_to_132000_tokens():
    assert sum(sizes(review)) == pytest.approx(132_000, rel=0.02)


def test_the_review_grows_by_about_2000_tokens_a_step_up_to_22000():
    held = sizes(review)
    assert held == [pytest.approx(2000 * step, abs=500) for step in range(1, 12)]


def test_the_review_reads_eleven_files():
    reads = [
        json.loads(call["function"]["arguments"])["path"]
        for step in review().steps
        for call in step.answer.get("tool_calls", ())
        if call["function"]["name"] == "read_file"
    ]
    assert len(set(reads)) == len(reads) == 11


def test_the_coding_session_is_long_enough_to_need_help():
    assert len(coding().steps) >= 60
    assert 90_000 <= sizes(coding)[-1] <= 133_000


def test_the_coding_session_is_interrupted_twice():
    assert [m["role"] for step in coding().steps for m in step.then].count("user") == 2


def test_the_coding_session_carries_whole_files_in_arguments():
    lengths = [
        len(call["function"]["arguments"])
        for step in coding().steps
        for call in step.answer.get("tool_calls", ())
        if call["function"]["name"] == "write"
    ]
    assert min(lengths) > 1500


@SESSIONS
def test_every_request_is_sound(session):
    assert [violations(body) for body in requests(session)] == [()] * len(session.steps)


@SESSIONS
def test_every_request_starts_with_the_one_before(session):
    bodies = list(requests(session))
    for before, after in pairwise(bodies):
        assert after["messages"][: len(before["messages"])] == before["messages"]


@SESSIONS
def test_call_ids_are_unique(session):
    ids = [call["id"] for step in session.steps for call in step.answer.get("tool_calls", ())]
    assert len(set(ids)) == len(ids)


@SESSIONS
def test_texts_are_varied(session):
    """Of the longer lines of all results at most half is a repeat; files read twice are allowed for."""
    lines = [line for text in set(texts(session)) for line in text.splitlines() if len(line) > 40]
    assert len(set(lines)) > len(lines) / 2


@SESSIONS
def test_no_template_word_is_left_unfilled(session):
    left = re.compile(r"\$\{?(thing|Thing|THING|partner|action|Action|number|money|time|small|medium|large|text)")
    assert not [match.group() for text in texts(session) for match in left.finditer(text)]


@pytest.mark.parametrize("item", coding().evidence, ids=lambda item: f"{item.shown}-{item.needed}")
def test_planted_lines_are_shown_before_an_answer_quotes_them(item):
    steps = coding().steps
    assert item.shown < item.needed
    assert any(
        item.line in message["content"].splitlines() or item.line in message["content"]
        for message in steps[item.shown].then
    )
    assert item.line in steps[item.needed].answer["content"]


def test_some_planted_lines_are_needed_much_later():
    assert max(item.needed - item.shown for item in coding().evidence) > 30


def test_a_fresh_process_writes_the_same_sessions():
    program = (
        "import hashlib, json; from proxy.demo.review import review; from proxy.demo.coding import coding;"
        "from proxy.demo.session import requests;"
        "print(*(hashlib.sha256(json.dumps(list(requests(s))[-1]).encode()).hexdigest() for s in (review(), coding())))"
    )
    fresh = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    here = [hashlib.sha256(json.dumps(list(requests(s))[-1]).encode()).hexdigest() for s in (review(), coding())]
    assert fresh.stdout.split() == here


def test_a_quote_of_a_line_that_nobody_saw_is_a_mistake_of_the_author():
    script = Script("s", "system", "task", [])
    script.act("look", Call("read", {}, "nothing here"))
    with pytest.raises(ValueError, match="'boom' is quoted in step 1 but not shown before"):
        script.say("It says boom.", quotes=["boom"])
