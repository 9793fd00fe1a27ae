"""Streams with calls of ours in them: odd providers, odd chunks, signs of life, and a real client's parser."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import openai
import pytest
from aiohttp import ClientSession

from proxy.retrieval.fingerprint import Place
from proxy.retrieval.heartbeat import PING
from proxy.retrieval.loop import Retrieving
from proxy.retrieval.tool import with_tool
from proxy.upstream import UpstreamCall
from proxy.wire.envelope import slice_body
from tests.retrieval.desk import (
    LOCATOR,
    QUESTION,
    TOOLS,
    Desk,
    ask,
    events,
    faults,
    reads,
    results,
    says,
    streamed,
    weather,
)
from tests.scripted_upstream import DONE, Hang, Item, ScriptedUpstream, Stream, chunk, event

READ = json.dumps({"locator": LOCATOR, "lines": "7"})


def fragments(*items: dict[str, Any], reason: str = "tool_calls") -> Stream:
    """A stream of these tool call deltas."""
    said: list[Item] = [chunk({"role": "assistant", "content": None})]
    said += [chunk({"tool_calls": [item]}) for item in items]
    return Stream([*said, chunk({}, reason), DONE])


def piece(index: int | None, arguments: str, **more: Any) -> dict[str, Any]:
    placed = {} if index is None else {"index": index}
    return {**placed, **more, "function": {"arguments": arguments, **more.pop("function", {})}}


def begin(index: int, id: str, name: str, arguments: str = "") -> dict[str, Any]:
    return {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


async def test_one_id_one_role_and_one_end(client: ClientSession, model: ScriptedUpstream) -> None:
    model.reply(says("Let me look.", reads(), named="a"), says("It is line 7.", named="b"))
    got = await ask(client, QUESTION, stream=True, stream_options={"include_usage": True})
    told = events(got.body)
    assert len({each["id"] for each in told}) == 1
    choices = [choice for each in told for choice in each["choices"]]
    assert [choice["delta"]["role"] for choice in choices if "role" in choice["delta"]] == ["assistant"]
    assert [choice["finish_reason"] for choice in choices if choice["finish_reason"]] == ["stop"]
    assert sum("usage" in each and not each["choices"] for each in told) == 1
    assert got.body.count(b"[DONE]") == 1


async def test_a_text_before_a_call_is_here_before_the_call_is_made(
    client: ClientSession, model: ScriptedUpstream
) -> None:
    gate = asyncio.Event()
    items = streamed("Look", [reads()], "tool_calls")
    model.reply(Stream([*items[:3], gate, *items[3:]]), says("Done."))
    body = {"model": "m", "messages": QUESTION, "tools": TOOLS, "stream": True}
    async with client.post("/v1/chat/completions", json=body) as answer:
        got = b""
        while b"Look" not in got:
            got += await answer.content.readany()
        assert not gate.is_set()
        gate.set()
        assert b"Done." in await answer.content.read()


async def test_a_calls_fragments_are_renumbered_as_if_ours_were_not_there(
    client: ClientSession, model: ScriptedUpstream
) -> None:
    model.reply(
        fragments(
            begin(0, "call_r1", "context_read"),
            begin(1, "call_w1", "weather"),
            piece(0, READ),
            piece(1, '{"city": "Oslo"}'),
            begin(2, "call_w2", "weather", '{"city": "Rome"}'),
        )
    )
    got = await ask(client, QUESTION, stream=True)
    assert got.message["tool_calls"] == [weather("call_w1"), weather("call_w2", "Rome")]


async def test_parallel_calls_that_all_have_the_index_0_are_told_apart_by_their_ids(
    client: ClientSession, model: ScriptedUpstream, desk: Desk
) -> None:
    model.reply(
        fragments(
            begin(0, "call_r1", "context_read", READ[:5]),
            piece(0, READ[5:]),
            begin(0, "call_r2", "context_read", READ),
            begin(0, "call_w1", "weather", '{"city": '),
            piece(0, '"Oslo"}'),
        )
    )
    got = await ask(client, QUESTION, stream=True)
    assert got.message["tool_calls"] == [weather("call_w1")]
    assert desk.reads == [("lines", "found")] * 2


@pytest.mark.parametrize("transport", ["relay"], indirect=True)
async def test_fragments_may_lack_id_name_and_index_or_repeat_them(
    client: ClientSession, model: ScriptedUpstream
) -> None:
    repeated = begin(0, "call_r1", "context_read", READ[5:])
    for going_on in (piece(None, READ[5:]), repeated, piece(0, READ[5:], id=None), piece(0, READ[5:], id="")):
        model.reply(fragments(begin(0, "call_r1", "context_read", READ[:5]), going_on), says("Done."))
        await ask(client, QUESTION, stream=True)
        assert "line 7 of the log" in results(model.requests[-1])["call_r1"]


@pytest.mark.parametrize("transport", ["relay"], indirect=True)
async def test_a_call_whose_name_comes_late_waits_for_it(client: ClientSession, model: ScriptedUpstream) -> None:
    nameless = {"index": 0, "id": "call_1", "type": "function", "function": {"arguments": ""}}
    ours = {**piece(0, READ), "function": {"name": "context_read", "arguments": READ}}
    model.reply(fragments(nameless, ours), says("Done."))
    assert (await ask(client, QUESTION, stream=True)).message["content"] == "Done."
    theirs = {**piece(0, ""), "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    model.reply(fragments(nameless, theirs))
    assert (await ask(client, QUESTION, stream=True)).message["tool_calls"] == [weather("call_1")]


@pytest.mark.parametrize("transport", ["relay"], indirect=True)
async def test_a_call_that_never_gets_a_name_is_the_clients(client: ClientSession, model: ScriptedUpstream) -> None:
    nameless = {"index": 0, "id": "call_1", "type": "function", "function": {"arguments": "{}"}}
    model.reply(fragments(nameless))
    got = await ask(client, QUESTION, stream=True)
    assert got.message["tool_calls"][0]["id"] == "call_1"
    assert got.finish == "tool_calls"


async def test_arguments_that_are_no_json_are_told_to_the_model_and_not_kept_in_its_history(
    client: ClientSession, model: ScriptedUpstream
) -> None:
    model.reply(fragments(begin(0, "call_r1", "context_read", "{lines: 7")), says("Done."))
    await ask(client, QUESTION, stream=True)
    (call,) = model.requests[-1].json["messages"][1]["tool_calls"]
    assert call["function"]["arguments"] == "{}"
    assert "no JSON object" in results(model.requests[-1])["call_r1"]


async def test_calls_without_ids_or_with_one_id_get_ids_of_their_own(
    client: ClientSession, model: ScriptedUpstream
) -> None:
    same = [begin(0, "call_x", "context_read", READ), begin(1, "call_x", "context_read", READ)]
    none = [{**begin(2, "", "context_read", READ)}]
    model.reply(fragments(*same, *none), says("Done."))
    await ask(client, QUESTION, stream=True)
    assert len(results(model.requests[-1])) == 3
    assert faults(model.requests) == []


@pytest.mark.parametrize("transport", ["relay"], indirect=True)
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"], ids=["lf", "crlf", "cr"])
async def test_a_stream_cut_at_every_byte_is_the_same_stream(
    newline: bytes, client: ClientSession, model: ScriptedUpstream
) -> None:
    items = streamed("Größe 🙂?", [reads()], "tool_calls")
    raw = b": hello\n\n" + b"".join(item if isinstance(item, bytes) else _event(item) for item in items)
    raw = raw.replace(b"\n", newline)
    model.reply(Stream([raw[at : at + 1] for at in range(len(raw))]), says(" 🙂"))
    got = await ask(client, QUESTION, stream=True)
    lines = b"".join(got.body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b": hello\n\n"))
    text = "".join(each["choices"][0]["delta"].get("content") or "" for each in events(lines) if each["choices"])
    assert text == "Größe 🙂?\n\n 🙂"
    assert "line 7 of the log" in results(model.requests[-1])["call_r1"]


@pytest.mark.parametrize("transport", ["relay"], indirect=True)
async def test_an_exchange_is_recorded_before_the_last_event(
    client: ClientSession, model: ScriptedUpstream, desk: Desk
) -> None:
    recorded, released = asyncio.Event(), asyncio.Event()
    put = desk.records.put

    async def slow_put(tenant: str, name: str, value: bytes) -> None:
        recorded.set()
        await released.wait()
        await put(tenant, name, value)

    desk.records.put = slow_put  # type: ignore[method-assign]
    model.reply(says(None, reads()), says("It is line 7."))
    body = {"model": "m", "messages": QUESTION, "tools": TOOLS, "stream": True}
    async with client.post("/v1/chat/completions", json=body) as answer:
        await recorded.wait()
        got = b""
        while b'"."' not in got:
            got += await answer.content.readany()
        assert b'"stop"' not in got
        released.set()
        rest = await answer.content.read()
    assert b'"stop"' in rest
    assert b"[DONE]" in rest
    assert len(desk.records.kept) == 1


async def test_a_silence_of_ours_is_filled_with_comments_between_events(
    client: ClientSession, model: ScriptedUpstream, desk: Desk
) -> None:
    desk.heartbeat_seconds = 0.01
    gate = asyncio.Event()
    second = streamed("It is line 7.", [], "stop")
    model.reply(says("Look", reads()), Stream([*second[:2], gate, *second[2:]]))
    body = {"model": "m", "messages": QUESTION, "tools": TOOLS, "stream": True}
    async with client.post("/v1/chat/completions", json=body) as answer:
        got = b""
        while got.count(PING) < 3:
            got += await answer.content.readany()
        gate.set()
        got += await answer.content.read()
    without = got.replace(PING, b"")
    assert all(part.startswith((b"data: {", b"data: [DONE]")) for part in without.split(b"\n\n") if part)
    assert b"Look" in got.split(PING)[0]


async def test_a_silence_of_the_providers_own_stays_one(
    client: ClientSession, model: ScriptedUpstream, desk: Desk
) -> None:
    desk.heartbeat_seconds = 0.005
    gate = asyncio.Event()
    items = streamed("No need to look.", [], "stop")
    model.reply(Stream([*items[:2], gate, *items[2:]]))
    asking = asyncio.create_task(ask(client, QUESTION, stream=True))
    await model.arrived(1)
    await asyncio.sleep(0.1)  # long enough for many beats, were there any
    gate.set()
    assert PING not in (await asking).body


@pytest.mark.parametrize("transport", ["relay"], indirect=True)
@pytest.mark.parametrize("calls", [[reads()], [weather(), reads()]], ids=["ours", "mixed"])
async def test_a_stream_in_which_the_provider_fails_is_passed_on_and_nothing_is_answered(
    calls: list[dict[str, Any]], client: ClientSession, model: ScriptedUpstream, desk: Desk
) -> None:
    failed = event({"error": {"message": "overloaded", "code": None}})
    model.reply(Stream([*streamed("Hm.", calls, "tool_calls")[:-3], failed, DONE]))
    got = await ask(client, QUESTION, stream=True)
    assert failed in got.body
    assert (len(model.requests), desk.reads, desk.records.kept) == (1, [], {})


@pytest.mark.parametrize("transport", ["relay"], indirect=True)
async def test_a_call_behind_the_streams_own_end_is_not_answered(
    client: ClientSession, model: ScriptedUpstream, desk: Desk
) -> None:
    late = chunk({"tool_calls": [begin(0, "call_r1", "context_read", READ)]})
    model.reply(Stream([chunk({"role": "assistant", "content": "Hm."}), chunk({}, "stop"), late, DONE]))
    got = await ask(client, QUESTION, stream=True)
    assert (got.message["content"], got.finish) == ("Hm.", "stop")
    assert (len(model.requests), desk.reads) == (1, [])


@pytest.mark.parametrize("transport", ["relay"], indirect=True)
async def test_leaving_ends_the_stream_at_once(model: ScriptedUpstream, desk: Desk) -> None:
    model.reply(says("Let me look.", reads()), Hang())
    body = with_tool(
        slice_body(json.dumps({"model": "m", "messages": QUESTION, "tools": TOOLS, "stream": True}).encode())
    )
    place = Place("t", b"", 1)
    read = desk.reader.read(slice_body(body))
    answering = Retrieving(desk.upstream, desk.exchanges, place, desk.dialogue(body, read), 0.01)
    async with answering.open(UpstreamCall(desk.route, body, {}, stream=True)) as answer:
        chunks = answer.chunks()
        while await anext(chunks) != PING or len(model.requests) < 2:
            pass  # until a comment tells of waiting for the second round
    await asyncio.wait_for(model.aborted.wait(), 10)  # while `chunks` is still referred to
    del chunks


async def test_openai_python_reads_the_stream_whatever_beats_in_it(
    client: ClientSession, model: ScriptedUpstream, desk: Desk
) -> None:
    desk.heartbeat_seconds = 0.01
    gate = asyncio.Event()
    asyncio.get_running_loop().call_later(0.1, gate.set)
    second = streamed("It is line 7.", [weather("call_w1"), reads("call_r2"), weather("call_w2", "Rome")], "tool_calls")
    model.reply(says("Let me look.", reads()), Stream([*second[:3], gate, *second[3:]]))
    async with openai.AsyncOpenAI(base_url=f"{desk.url}/v1", api_key="sk-agent", max_retries=0) as agent:
        asked = {"model": "m", "messages": QUESTION, "tools": TOOLS, "stream_options": {"include_usage": True}}
        async with agent.chat.completions.stream(**asked) as stream:  # type: ignore[arg-type] # as agents call it
            final = await stream.get_final_completion()
        message = final.choices[0].message
        assert message.content == "Let me look.\n\nIt is line 7."
        assert message.tool_calls is not None
        assert [(call.id, call.function.arguments) for call in message.tool_calls] == [
            ("call_w1", '{"city": "Oslo"}'),
            ("call_w2", '{"city": "Rome"}'),
        ]
        assert final.choices[0].finish_reason == "tool_calls"
        assert final.usage is not None
        history = [
            *QUESTION,
            message.to_dict(),
            *({"role": "tool", "tool_call_id": f"call_w{n}", "content": "rain"} for n in (1, 2)),
        ]
        model.reply(says("Thanks."))
        await agent.chat.completions.create(model="m", messages=history, tools=TOOLS)  # type: ignore[arg-type]
    carried = model.requests[-1].json["messages"]
    assert [each["role"] for each in carried] == ["user", "assistant", "tool", "assistant", "tool", "tool", "tool"]
    assert carried[3]["content"] == "It is line 7."
    assert set(results(model.requests[-1])) == {"call_r1", "call_r2", "call_w1", "call_w2"}
    assert faults(model.requests) == []


def _event(item: Any) -> bytes:
    return event(item)
