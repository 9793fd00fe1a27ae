"""Exchanges: known again whatever the client did to its message, kept in a real store, put back where they were."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from proxy.errors import StoreError
from proxy.retrieval.exchange import Exchange, exchange
from proxy.retrieval.exchanges import REFRESH_SECONDS, Exchanges
from proxy.retrieval.fingerprint import Place, fingerprint, history_of
from proxy.retrieval.records import RedisRecords
from proxy.retrieval.restoring import restored
from proxy.retrieval.spoken import Spoken
from proxy.state.embedded import EmbeddedValkey
from proxy.state.redis import StateStore
from proxy.wire.envelope import slice_body
from proxy.wire.reader import Read, Reader
from tests.retrieval.desk import FakeRecords, reads, weather, words

USER = {"role": "user", "content": "go"}
SAID = {"role": "assistant", "content": "Sure.", "tool_calls": [weather()]}
READ = b'{"role":"tool","tool_call_id":"call_r1","content":"line 7"}'
KEPT = exchange([b'{"role":"assistant","content":null}', READ], {"content": "Hm.\n\n"}, None, ())


def final(*calls: dict[str, Any]) -> Spoken:
    """The message that ends a turn, with these calls."""
    return Spoken({}, calls, "tool_calls")


def read_of(*messages: dict[str, Any]) -> Read:
    return Reader(words).read(slice_body(json.dumps({"model": "m", "messages": messages}).encode()))


def place(read: Read, index: int, tenant: str = "t") -> Place:
    return Place(tenant, history_of(read.messages), index)


class Losses:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.mark.parametrize(
    "again",
    [
        {"role": "assistant", "content": [{"type": "text", "text": "Sure."}], "tool_calls": [weather()]},
        {**SAID, "content": " Sure.\n", "refusal": None, "annotations": [], "reasoning_content": "hm"},
        {**SAID, "tool_calls": [{**weather(), "index": 0}]},
        {**SAID, "tool_calls": [{"id": "call_w1", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}]},
        {**SAID, "content": [{"type": "text", "text": "Sure.", "cache_control": {"type": "ephemeral"}}]},
    ],
)
def test_a_message_is_known_again_however_it_is_rebuilt(again: dict[str, Any]) -> None:
    assert fingerprint(again) == fingerprint(SAID)


@pytest.mark.parametrize(
    "other",
    [
        {**SAID, "content": "Sure"},
        {**SAID, "tool_calls": [weather("call_w2")]},
        {**SAID, "tool_calls": [weather(city="Rome")]},
        {**SAID, "tool_calls": [weather(), weather("call_w2")]},
        {"role": "assistant", "content": "Sure."},
    ],
)
def test_another_message_is_another(other: dict[str, Any]) -> None:
    assert fingerprint(other) != fingerprint(SAID)


def test_nothing_said_has_no_fingerprint() -> None:
    assert fingerprint({"role": "assistant", "content": " ", "tool_calls": []}) is None


def test_halves_of_a_surrogate_pair_are_the_character_that_the_client_sends() -> None:
    assert fingerprint({"content": "\ud83d" + "\ude42"}) == fingerprint({"content": "🙂"})


@pytest.mark.parametrize(
    "history",
    [
        [{"role": "user", "content": "another task"}, SAID],
        [USER, {"role": "assistant", "content": "before"}, SAID],
    ],
    ids=["another history", "another place"],
)
async def test_the_same_words_elsewhere_are_not_it(history: list[dict[str, Any]]) -> None:
    exchanges = Exchanges(FakeRecords(), Losses())
    first = read_of(USER)
    await exchanges.record(place(first, 1), fingerprint(SAID), KEPT)
    assert await exchanges.find("t", read_of(USER, SAID)) == {1: KEPT}
    assert await exchanges.find("t", read_of(*history)) == {}


async def test_another_tenant_finds_nothing() -> None:
    exchanges = Exchanges(FakeRecords(), Losses())
    await exchanges.record(place(read_of(USER), 1), fingerprint(SAID), KEPT)
    assert await exchanges.find("other", read_of(USER, SAID)) == {}


async def test_a_value_of_another_tenants_is_refused() -> None:
    records = FakeRecords()
    await Exchanges(records, Losses()).record(place(read_of(USER), 1), fingerprint(SAID), KEPT)
    (((_, name), value),) = records.kept.items()
    records.kept = {("other", name): value}
    assert await Exchanges(records, Losses()).find("other", read_of(USER, SAID)) == {}


async def test_noise_in_the_store_is_nothing() -> None:
    records = FakeRecords()
    await Exchanges(records, Losses()).record(place(read_of(USER), 1), fingerprint(SAID), KEPT)
    records.kept = dict.fromkeys(records.kept, b'{"tenant": 7')
    assert await Exchanges(records, Losses()).find("t", read_of(USER, SAID)) == {}


async def test_a_warm_request_asks_the_store_nothing() -> None:
    records = FakeRecords()
    exchanges = Exchanges(records, Losses())
    await exchanges.record(place(read_of(USER), 1), fingerprint(SAID), None)
    history = read_of(USER, SAID, USER, {"role": "assistant", "content": "new here"})
    assert await exchanges.find("t", history) == {}
    assert len(records.asked) == 1
    await exchanges.find("t", history)
    assert len(records.asked) == 1


async def test_use_renews_what_is_in_the_store() -> None:
    records, clock = FakeRecords(), [0.0]
    exchanges = Exchanges(records, Losses(), lambda: clock[0])
    await exchanges.record(place(read_of(USER), 1), fingerprint(SAID), KEPT)
    clock[0] = REFRESH_SECONDS
    assert await exchanges.find("t", read_of(USER, SAID)) == {1: KEPT}
    assert len(records.asked) == 1


async def test_what_was_not_found_in_a_dead_store_is_asked_for_again() -> None:
    records, losses = FakeRecords(), Losses()
    await Exchanges(records, losses).record(place(read_of(USER), 1), fingerprint(SAID), KEPT)
    fresh = Exchanges(records, losses)
    records.down = True
    assert await fresh.find("t", read_of(USER, SAID)) == {}
    assert losses.count == 1
    records.down = False
    assert len(await fresh.find("t", read_of(USER, SAID))) == 1


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    server = EmbeddedValkey(Path(tmp_path_factory.mktemp("state")))
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def store(valkey: EmbeddedValkey) -> AsyncIterator[StateStore]:
    opened = StateStore(valkey.url, timeout_ms=5_000)
    yield opened
    await opened.close()


async def test_a_real_store_gives_back_the_very_bytes_to_another_process(store: StateStore) -> None:
    odd = exchange([b'{ "role" : "assistant" }'], {"content": "å\n\n"}, final(weather(), reads()), [READ])
    await Exchanges(RedisRecords(store, 60), Losses()).record(place(read_of(USER), 1), fingerprint(SAID), odd)
    found = (await Exchanges(RedisRecords(store, 60), Losses()).find("t", read_of(USER, SAID)))[1]
    assert [*map(bytes, found.before)] == [b'{ "role" : "assistant" }']
    assert (found.earlier, [*map(bytes, found.results)]) == ({"content": "å\n\n"}, [READ])
    assert [(at, bytes(call)) for at, call in found.calls] == [(1, msgspec.json.encode(reads()))]


async def test_a_real_store_forgets_in_time_and_use_renews_it(store: StateStore) -> None:
    short, long = RedisRecords(store, 50), RedisRecords(store, 5_000)
    await short.put("t", "exchange:1", b"x")
    assert await long.get("t", ["exchange:1", "exchange:2"]) == [b"x", None]
    assert await store.run("ttl", lambda client: client.ttl("forebay:{t}:exchange:1")) > 4_000


async def test_many_are_asked_for_in_parts(store: StateStore) -> None:
    records = RedisRecords(store, 60)
    await records.put("t", "exchange:1199", b"x")
    found = await records.get("t", [f"exchange:{n}" for n in range(1_200)])
    assert (len(found), found[1_199]) == (1_200, b"x")


async def test_a_store_that_is_gone_raises_what_is_caught() -> None:
    gone = StateStore("unix:///nowhere/at/all", timeout_ms=100)
    with pytest.raises(StoreError):
        await RedisRecords(gone, 60).get("t", ["exchange:1"])
    await gone.close()


def put_back(message: str, kept: Exchange) -> list[Any]:
    body = '{"messages": [ {"role":"user","content":"go"} ,\n ' + message + ' ], "model":"m"}'
    envelope = slice_body(body.encode())
    back = restored(envelope, {1: kept})
    assert back.startswith(b'{"messages": [ {"role":"user","content":"go"} ,\n {')
    assert back.endswith(b' ], "model":"m"}')
    messages: list[Any] = json.loads(back)["messages"]
    return messages[1:]


def test_whole_messages_stand_before_and_their_text_leaves_the_clients() -> None:
    *before, last = put_back('{ "content" : "Hm.\\n\\nSure." , "role":"assistant", "x": 1}', KEPT)
    assert before == [{"role": "assistant", "content": None}, json.loads(READ)]
    assert last == {"content": "Sure.", "role": "assistant", "x": 1}


def test_the_text_leaves_the_first_part_of_a_list_and_nothing_else_does() -> None:
    written = (
        '{"role":"assistant","content":[{"type":"text","text":"Hm.\\n\\nSure.","cache_control":{"type":"ephemeral"}}]}'
    )
    last = put_back(written, KEPT)[-1]
    assert last["content"] == [{"type": "text", "text": "Sure.", "cache_control": {"type": "ephemeral"}}]


def test_a_text_that_the_client_changed_stays_as_it_is() -> None:
    assert put_back('{"role":"assistant","content":"Sure."}', KEPT)[-1]["content"] == "Sure."


def test_thinking_of_earlier_rounds_goes_back_to_them() -> None:
    blocks = [{"type": "thinking", "thinking": t, "signature": t} for t in "abc"]
    kept = exchange([READ], {"thinking_blocks": blocks[:2]}, None, ())
    message = json.dumps({"role": "assistant", "content": "x", "thinking_blocks": blocks})
    assert put_back(message, kept)[-1]["thinking_blocks"] == blocks[2:]
    message = json.dumps({"role": "assistant", "content": "x", "thinking_blocks": blocks[:2]})
    assert put_back(message, kept)[-1]["thinking_blocks"] == []


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (1, 2, 0)])
def test_our_calls_stand_at_their_places_and_our_results_first(order: tuple[int, ...]) -> None:
    all_calls = [reads(), weather(), weather("call_w2")]
    calls = [all_calls[index] for index in order]
    theirs = [call for call in calls if call["function"]["name"] == "weather"]
    kept = exchange([], {}, final(*calls), [READ])
    message, result = put_back(json.dumps({"role": "assistant", "content": None, "tool_calls": theirs}), kept)
    assert message["tool_calls"] == calls
    assert result == json.loads(READ)


def test_nothing_to_restore_is_the_same_object() -> None:
    envelope = slice_body(b'{"model":"m","messages":[{"role":"user","content":"go"}]}')
    assert restored(envelope, {}) is envelope.body
