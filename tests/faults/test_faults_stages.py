"""A stage of our own raises: the request goes on with less, says so, and is counted."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.errors import UpstreamError
from proxy.http import keys
from tests.faults.bench import Answered, Bench, bench, session

REQUEST = session()[-1]


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(tmp_path) as opened:
        yield opened


def fails(*_: object, **__: object) -> None:
    raise ZeroDivisionError("injected: a secret word")


async def afails(*_: object, **__: object) -> None:
    fails()


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def no_trace(answer: Answered) -> bool:
    shown = answer.body.decode() + str(answer.headers)
    return not any(word in shown for word in ("injected", "Traceback", "ZeroDivision"))


EDITING = {
    "a step of the batch": "policies.batch.make_room",
    "the walk": "proxy.folds.Folds.walk",
    "the plan": "proxy.context.plan",
    "counting a message": "proxy.wire.reader.message_facts",
    "counting the tools": "proxy.wire.fixed.FixedPart.tokens",
    "splicing": "proxy.wire.render._messages",
}
READING = {EDITING["counting a message"], EDITING["counting the tools"]}
"""Stages that fail twice: what offers our tool reads the request before what edits it."""


@pytest.mark.parametrize("stage", EDITING.values(), ids=EDITING)
async def test_an_edit_that_raises_forwards_the_original(
    at: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, stage: str
) -> None:
    monkeypatch.setattr(stage, fails)
    answer = await at.ask(REQUEST)
    assert (answer.status, answer.degraded) == (200, "policy")
    assert at.forwarded == [REQUEST]
    assert await at.metric("forebay_degraded_total", reason="policy") == 1
    assert no_trace(answer)
    await at.recorded()
    first = ["exchanges could not be put back; going on without retrieval"] if stage in READING else []
    assert errors(caplog) == [*first, "the edit failed; forwarding the original"]


@pytest.mark.parametrize("stage", EDITING.values(), ids=EDITING)
async def test_the_model_is_still_named_as_its_provider_knows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    async with bench(tmp_path, change={"name": "alias"}) as at:
        monkeypatch.setattr(stage, fails)
        answer = await at.ask(session(24, "alias")[-1])
        assert answer.status == 200
        assert at.forwarded == [REQUEST]


@pytest.mark.parametrize("stage", EDITING.values(), ids=EDITING)
async def test_the_next_request_is_edited_as_if_nothing_had_been(
    at: Bench, monkeypatch: pytest.MonkeyPatch, undisturbed: list[bytes], stage: str
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(stage, fails)
        await at.play(session()[:20])
    assert [answer.degraded for answer in await at.play(session()[20:])] == [None] * 4
    assert at.forwarded[20:] == undisturbed[20:]


async def test_a_bad_request_stays_one_where_a_stage_is_broken(at: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("policies.batch.make_room", fails)
    answer = await at.ask({"model": "m", "messages": [{"role": "user", "content": 7}]})
    assert answer.status == 400
    assert at.forwarded == []


KEEPING = {
    "finding the originals": "proxy.keeping.Keeper.unkept",
    "the keeper itself": "proxy.keeping.Keeper._remember",
    "the store's own code": "proxy.artifacts.local.encode",
}


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("stage", KEEPING.values(), ids=KEEPING)
async def test_keeping_that_raises_leaves_the_edits_in_place(
    at: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, undisturbed: list[bytes], stage: str
) -> None:
    monkeypatch.setattr(stage, fails)
    answer = await at.ask(REQUEST)
    assert (answer.status, answer.degraded) == (200, "artifacts")
    assert at.forwarded == [undisturbed[-1]]
    assert await at.metric("forebay_degraded_total", reason="artifacts") == 1
    assert len(errors(caplog)) == 1
    assert no_trace(answer)


COUNTING = {
    "metrics of the budget": "proxy.metrics.Metrics.budget",
    "what tells a rewrite": "proxy.continuity.Continuity.broken",
    "metrics of the answer": "proxy.metrics.Metrics.estimated",
    "the bill": "proxy.http.recording.bill",
    "the report": "proxy.http.recording.told_report",
    "the session's record": "proxy.state.sessions.RedisSessions.record",
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("stage", COUNTING.values(), ids=COUNTING)
async def test_counting_that_raises_costs_a_figure_and_nothing_else(
    at: Bench,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    stage: str,
    stream: bool,
) -> None:
    monkeypatch.setattr(stage, afails if stage.endswith(".record") else fails)
    streamed = b', "stream": true, "stream_options": {"include_usage": true}}'
    sent = REQUEST[:-1] + streamed if stream else REQUEST
    answer = await at.ask(sent)
    assert answer.status == 200
    assert answer.body.endswith(b"data: [DONE]\n\n") is stream
    assert no_trace(answer)
    await at.recorded()
    assert len(at.forwarded) == 1
    assert len(errors(caplog)) == 1
    assert await at.metric("forebay_degraded_total", reason="state") == 1


async def test_an_upstreams_failure_is_not_taken_for_one_of_ours(at: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> None:
        raise UpstreamError("m: the provider could not be reached")

    monkeypatch.setattr(at.proxy.app[keys.UPSTREAM], "open", unreachable)
    answer = await at.ask(REQUEST)
    assert (answer.status, answer.degraded) == (502, None)
