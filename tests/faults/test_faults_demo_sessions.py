"""The demo's sessions, request by request through the running proxy, in every window and under every preset."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from proxy.demo.coding import coding
from proxy.demo.review import review
from proxy.demo.session import requests
from proxy.demo.structure import changed_by_the_way, violations
from proxy.policy_files import load_policies
from proxy.retrieval.tool import without_tool
from tests.faults.bench import NO_STORE, Answered, bench

WINDOWS = (8_000, 16_000, 32_000, 128_000, 272_000)
OUTPUT = 1_000
SESSIONS = {"review": review, "coding": coding}


@pytest.mark.parametrize(
    ("window", "asks_for"), [*((window, None) for window in WINDOWS), (8_000, OUTPUT), (16_000, OUTPUT)]
)
@pytest.mark.parametrize("policy", load_policies())
async def test_a_session_stays_valid_and_its_prefix_stays(
    tmp_path: Path, policy: str, window: int, asks_for: int | None
) -> None:
    async with bench(tmp_path, state_url=NO_STORE, change={"policy": policy, "window": window}) as at:
        for make in SESSIONS.values():
            already, answers, sent = len(at.forwarded), [], []
            for said in requests(make(), "m"):
                body = said | ({"max_tokens": asks_for} if asks_for else {})
                answer = await at.ask(body)
                assert answer.status == 200, "in these windows the floor always fits"
                sent.append(body)
                answers.append(answer)
            carried = at.forwarded[already:]
            forwarded = [json.loads(without_tool(body)) for body in carried]
            assert [json.loads(body) != alone for body, alone in zip(carried, forwarded, strict=True)] == [
                policy != "observe"
            ] * len(sent), "our tool stands in every request, or in none"
            is_structured(forwarded, sent)
            is_continued(forwarded, answers)
            if policy != "observe":
                fits(forwarded, answers, window)


def is_structured(forwarded: list[dict[str, Any]], sent: list[dict[str, Any]]) -> None:
    assert len(forwarded) == len(sent)
    for got, came in zip(forwarded, sent, strict=True):
        assert violations(got) == ()
        assert changed_by_the_way(got, came) == ()
        assert {key: value for key, value in got.items() if key not in {"messages", "max_tokens"}} == {
            key: value for key, value in came.items() if key not in {"messages", "max_tokens"}
        }


def is_continued(forwarded: list[dict[str, Any]], answers: list[Answered]) -> None:
    """What was forwarded once stays as it is, message by message, but for reported batches."""
    for (earlier, before), (later, after) in pairwise(zip(forwarded, answers, strict=True)):
        start = later["messages"][: len(earlier["messages"])]
        if before.headers["x-context-batches"] == after.headers["x-context-batches"]:
            assert start == earlier["messages"]
    assert len({answer.headers["x-context-batches"] for answer in answers}) < len(answers)


def fits(forwarded: list[dict[str, Any]], answers: list[Answered], window: int) -> None:
    for body, answer in zip(forwarded, answers, strict=True):
        assert int(answer.headers["x-context-forwarded-tokens"]) + body.get("max_tokens", 0) <= window
