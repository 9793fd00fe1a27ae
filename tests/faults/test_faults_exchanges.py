"""The model reads back while the store dies, is dead, or holds noise: the answer comes, and says what it lacked."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from proxy.demo.structure import violations
from proxy.retrieval.tool import NAME
from tests.faults.bench import LOCATOR, NO_STORE, Answered, Bench, bench, session
from tests.faults.valkeys import OwnValkey
from tests.scripted_upstream import DONE, Json, Recorded, Reply, Stream, chunk, completion

LOG = "\n".join(f"2026-01-01T00:00:{n % 60:02} INFO moved crate {n} to berth {n % 17}" for n in range(400))
TOOLS = [{"type": "function", "function": {"name": "run", "parameters": {"type": "object", "properties": {}}}}]
CALL = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
HISTORY: list[dict[str, Any]] = [
    {"role": "user", "content": "Run it."},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": LOG},
]
FOUND = "It moved crate 19."
LATER = [*HISTORY, {"role": "assistant", "content": FOUND}, {"role": "user", "content": "Thank you."}]


def request(messages: list[dict[str, Any]], *, stream: bool = False) -> dict[str, Any]:
    return {"model": "m", "messages": messages, "tools": TOOLS, **({"stream": True} if stream else {})}


def reading(between: Callable[[], None], *, stream: bool = False) -> Callable[[Recorded], Reply]:
    """A model that reads back what was spilled, and then says what it found; `between` happens in its second round."""

    def answer(request: Recorded) -> Reply:
        if request.json["messages"][-1].get("tool_call_id") == "call_back":
            between()
            said: dict[str, Any] = {"content": FOUND}
            return _said(said, "stop", stream=stream)
        locator = LOCATOR.search(request.json["messages"][2]["content"])
        assert locator is not None, "nothing was spilled"
        function = {"name": NAME, "arguments": json.dumps({"locator": locator[0], "lines": "20"})}
        call = {"index": 0, "id": "call_back", "type": "function", "function": function}
        return _said({"content": None, "tool_calls": [call]}, "tool_calls", stream=stream)

    return answer


def _said(message: dict[str, Any], reason: str, *, stream: bool) -> Reply:
    return Stream([chunk(message), chunk({}, reason), DONE]) if stream else Json(completion(message, reason))


async def read_back(at: Bench, between: Callable[[], None] = lambda: None, *, stream: bool = False) -> Answered:
    """One request in which the model reads back, recorded."""
    answers = reading(between, stream=stream)
    at.provider.reply(answers, answers)
    answer = await at.ask(request(HISTORY, stream=stream))
    await at.recorded()
    assert answer.status == 200
    assert FOUND.encode() in answer.body
    assert NAME.encode() not in answer.body
    assert len(at.forwarded) == 2
    return answer


def carries(body: bytes) -> bool:
    """Whether the exchange that the client never saw stands in the request again."""
    return b'"call_back"' in body


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[OwnValkey]:
    server = OwnValkey(tmp_path / "valkey")
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def at(tmp_path: Path, valkey: OwnValkey) -> AsyncIterator[Bench]:
    async with bench(tmp_path / "a", state_url=valkey.url) as opened:
        yield opened


@pytest.mark.parametrize("stream", [False, True])
async def test_a_store_that_dies_between_a_look_up_and_its_record(at: Bench, valkey: OwnValkey, stream: bool) -> None:
    answer = await read_back(at, lambda: valkey.signal(signal.SIGKILL), stream=stream)
    assert answer.degraded == (None if stream else "state"), "a stream's headers have left before"
    assert await at.metric("forebay_degraded_total", reason="state") == 1
    later = await at.ask(request(LATER))
    assert (later.status, later.degraded) == (200, "state")
    assert carries(at.forwarded[-1]), "this process remembers"


async def test_a_store_that_is_dead_from_the_start(tmp_path: Path) -> None:
    async with bench(tmp_path, state_url=NO_STORE) as at:
        answer = await read_back(at)
        assert answer.degraded == "state"
        assert await at.metric("forebay_degraded_total", reason="state") == 1
        await at.ask(request(LATER))
        assert carries(at.forwarded[-1])
    async with bench(tmp_path, state_url=NO_STORE) as other:
        lost = await other.ask(request(LATER))
        assert (lost.status, lost.degraded) == (200, "state")
        assert not carries(other.forwarded[-1])
        assert violations(json.loads(other.forwarded[-1])) == ()
        assert json.loads(other.forwarded[-1])["tools"][-1]["function"]["name"] == NAME, "the prefix keeps our tool"


def _with(**changes: Any) -> Callable[[dict[str, Any]], bytes]:
    return lambda kept: json.dumps({**kept, "exchange": {**kept["exchange"], **changes}}).encode()


NOISE: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "bytes that are no text": lambda _: b"\xff\xfe\x00",
    "half a record": lambda kept: json.dumps(kept).encode()[:100],
    "an object of another kind": lambda _: b'{"role": "assistant"}',
    "another tenant's": lambda kept: json.dumps({**kept, "tenant": "other"}).encode(),
    "messages that are numbers": _with(before=[7]),
    "messages without a role": _with(before=[{}]),
    "a message whose content is a number": _with(before=[{"role": "assistant", "content": 7}]),
    "a message whose calls are text": _with(before=[{"role": "assistant", "tool_calls": "x"}]),
    "results that are text": _with(results=["x"]),
    "a doubled key": lambda kept: json.dumps(kept).replace('"role":', '"role":"tool","role":').encode(),
    "text that is no UTF-8": lambda kept: json.dumps(kept).replace("call_back", "X").encode().replace(b"X", b"\xff"),
    "absurd nesting": lambda kept: (
        json.dumps({**kept, "exchange": {**kept["exchange"], "results": ["X"]}})
        .replace('"X"', "[" * 5_000 + "]" * 5_000)
        .encode()
    ),
}


@pytest.fixture
async def recorded(at: Bench, valkey: OwnValkey) -> tuple[str, dict[str, Any]]:
    """The key and value under which an exchange stands in the store."""
    await read_back(at)
    (key,) = valkey.call(b"KEYS", b"*exchange*")
    value: dict[str, Any] = msgspec.json.decode(valkey.call(b"GET", key))
    return key.decode(), value


async def test_another_process_finds_what_was_recorded(
    tmp_path: Path, valkey: OwnValkey, recorded: tuple[str, dict[str, Any]]
) -> None:
    async with bench(tmp_path / "b", state_url=valkey.url) as at:
        answer = await at.ask(request(LATER))
        assert (answer.status, answer.degraded) == (200, None)
        assert carries(at.forwarded[-1])


@pytest.mark.parametrize("noise", NOISE.values(), ids=NOISE)
async def test_noise_in_place_of_an_exchange_costs_the_exchange_and_nothing_else(
    tmp_path: Path, valkey: OwnValkey, recorded: tuple[str, dict[str, Any]], noise: Callable[[dict[str, Any]], bytes]
) -> None:
    key, value = recorded
    valkey.call(b"SET", key.encode(), noise(value))
    async with bench(tmp_path / "b", state_url=valkey.url) as at:
        answers = [await at.ask(request(LATER)) for _ in range(2)]
        assert [answer.status for answer in answers] == [200, 200]
        body = json.loads(at.forwarded[0])
        assert [message["role"] for message in body["messages"]] == [message["role"] for message in LATER]
        assert violations(body) == ()
        assert body["tools"][-1]["function"]["name"] == NAME
        assert at.forwarded[1] == at.forwarded[0]
        assert answers[0].degraded == "state"


async def test_a_key_of_another_kind_costs_the_exchange_and_not_the_store(
    tmp_path: Path, valkey: OwnValkey, recorded: tuple[str, dict[str, Any]]
) -> None:
    key, _ = recorded
    valkey.call(b"DEL", key.encode())
    valkey.call(b"LPUSH", key.encode(), b"x")
    async with bench(tmp_path / "b", state_url=valkey.url) as at:
        answer = await at.ask(request(LATER))
        assert (answer.status, answer.degraded) == (200, "state")
        assert not carries(at.forwarded[-1])
        assert await at.ready() == (200, "ok")


async def test_a_bad_message_of_the_clients_own_is_still_its_own(at: Bench) -> None:
    answer = await at.ask(request([*HISTORY, {"role": "user", "content": 7}]))
    assert (answer.status, answer.degraded) == (400, None)
    assert at.forwarded == []
    assert await at.metric("forebay_degraded_total", reason="state") == 0


async def test_a_fault_of_ours_in_looking_up_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    async with bench(tmp_path) as at:
        monkeypatch.setattr("proxy.retrieval.exchanges.fingerprint", fails)
        answer = await at.ask(session()[1])
        assert (answer.status, answer.degraded) == (200, "policy")
        assert json.loads(at.forwarded[0])["messages"] == json.loads(session()[1])["messages"]
