"""A sub-agent whose proxy is replaced, or whose store dies: it never gets its parent's history, and goes on."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proxy.app import running
from tests.faults.bench import LOCATOR, MODEL, NO_STORE, Answered, Bench, an_agent, bench, model, settings
from tests.faults.valkeys import OwnValkey
from tests.scripted_upstream import Json, Recorded, ScriptedUpstream, completion

SYSTEM = {"role": "system", "content": "You keep the harbour book."}
PARENT = [
    {"role": "user", "content": "CANARY: read every log."},
    {"role": "assistant", "content": "CANARY: I have read them."},
]
TASK = {"role": "user", "content": "Find the crane that moved box 40."}
OWN = [{"role": "assistant", "content": "Crane 3."}, {"role": "user", "content": "Are you sure?"}]


def asked(*own: dict[str, Any]) -> dict[str, Any]:
    return {"model": MODEL, "messages": [SYSTEM, *PARENT, TASK, *own]}


async def ask(at: Bench, body: dict[str, Any]) -> Answered:
    return await at.ask(body, **{"x-context-isolate": "1"})


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[OwnValkey]:
    server = OwnValkey(tmp_path / "valkey")
    server.start()
    yield server
    server.stop()


def sound(body: bytes) -> list[dict[str, Any]]:
    """The messages that went, none of them the parent's."""
    assert b"CANARY" not in body
    messages: list[dict[str, Any]] = json.loads(body)["messages"]
    assert messages[0] == SYSTEM
    return messages


async def test_another_worker_and_a_restarted_one_forward_the_same_bytes(tmp_path: Path, valkey: OwnValkey) -> None:
    async with ScriptedUpstream() as provider, an_agent() as http:

        async def through(*bodies: dict[str, Any], name: str) -> None:
            configured = settings(tmp_path / name, model(provider.url), state_url=valkey.url, timeout_ms=10_000)
            async with running(configured) as proxy:
                for body in bodies:
                    answer = await ask(Bench(proxy, provider, http), body)
                    assert (answer.status, answer.degraded) == (200, None)

        await through(asked(), asked(*OWN), name="one")
        await through(asked(*OWN), name="one")
        await through(asked(*OWN), name="other")
        first, warm, restarted, other = [request.body for request in provider.requests]
    assert warm == restarted == other
    assert sound(warm) == [*sound(first), *OWN]


async def test_the_embedded_store_remembers_over_a_restart(tmp_path: Path) -> None:
    async with bench(tmp_path) as at:
        await ask(at, asked())
        first = sound(at.forwarded[0])
    async with bench(tmp_path) as at:
        await ask(at, asked(*OWN))
        assert sound(at.forwarded[0]) == [*first, *OWN]


async def test_a_store_that_is_killed_costs_a_running_sub_agent_nothing_but_the_header(
    tmp_path: Path, valkey: OwnValkey
) -> None:
    async with bench(tmp_path, state_url=valkey.url) as at:
        await ask(at, asked())
        valkey.signal(signal.SIGKILL)
        await at.recorded()
        answers = [await ask(at, asked(*OWN)) for _ in range(3)]
        assert {answer.status for answer in answers} == {200}
        first, *later = [sound(body) for body in at.forwarded]
        assert later == [[*first, *OWN]] * 3


async def test_a_sub_agent_that_starts_without_a_store_goes_on_by_this_process_memory(tmp_path: Path) -> None:
    async with bench(tmp_path, state_url=NO_STORE) as at:
        answers = [await ask(at, body) for body in (asked(), asked(*OWN))]
        assert [(answer.status, answer.degraded) for answer in answers] == [(200, "state")] * 2
        first, second = [sound(body) for body in at.forwarded]
        assert second == [*first, *OWN]


async def test_without_any_record_the_latest_words_are_the_task_and_the_parent_stays_behind(tmp_path: Path) -> None:
    async with bench(tmp_path / "a", state_url=NO_STORE) as at:
        await ask(at, asked())
    async with bench(tmp_path / "b", state_url=NO_STORE) as at:
        answer = await ask(at, asked(*OWN))
        assert (answer.status, answer.degraded) == (200, "state")
        _, task = sound(at.forwarded[0])
    assert task["content"].startswith("Are you sure?\n\n[Forebay: 4 messages of inherited history, ")


async def test_a_store_that_hangs_costs_one_time_out(tmp_path: Path, valkey: OwnValkey) -> None:
    async with bench(tmp_path, state_url=valkey.url, timeout_ms=250) as at:
        await ask(at, asked(*OWN[:1], {"role": "user", "content": "one"}))
        looked_up = await at.metric("forebay_state_seconds_count", operation="get_many")
        valkey.signal(signal.SIGSTOP)
        answers = [await ask(at, asked(*OWN[:1], {"role": "user", "content": f"{n}"})) for n in range(5)]
        valkey.signal(signal.SIGCONT)
        assert [(answer.status, answer.degraded) for answer in answers] == [(200, "state")] * 5
        assert await at.metric("forebay_state_seconds_count", operation="get_many") == looked_up + 1
        assert [sound(body) for body in at.forwarded]


async def test_an_artifact_that_cannot_be_kept_is_told_and_the_history_stays_out(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("no folder")
    async with bench(tmp_path, artifacts=tmp_path / "a file") as at:
        answer = await ask(at, asked())
        assert (answer.status, answer.degraded) == (200, "artifacts")
        sound(at.forwarded[0])


async def test_without_an_artifact_the_model_reads_it_back_out_of_the_request_itself(tmp_path: Path) -> None:
    def curious(request: Recorded) -> Json:
        locator = LOCATOR.search(request.body.decode())
        assert locator
        function = {"name": "context_read", "arguments": json.dumps({"locator": locator[0]})}
        call = {"id": "back", "type": "function", "function": function}
        return Json(completion({"content": None, "tool_calls": [call]}, "tool_calls"))

    (tmp_path / "a file").write_text("no folder")
    async with bench(tmp_path, artifacts=tmp_path / "a file", state_url=NO_STORE) as at:
        at.provider.reply(curious)
        read = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}
        await ask(at, {**asked(), "tools": [read]})
        _, second = at.forwarded
        assert "CANARY: I have read them." in json.loads(second)["messages"][-1]["content"]


async def test_a_fault_in_a_policy_does_not_let_the_history_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("proxy.context.ContextEngine._decide", broken)
    async with bench(tmp_path, state_url=NO_STORE) as at:
        answer = await ask(at, asked())
        assert answer.status == 200
        assert answer.degraded is not None
        assert "policy" in answer.degraded
        sound(at.forwarded[0])
        assert int(answer.headers["x-context-dropped-tokens"]) > 0
