"""The tool loop over real HTTP, both transports, streamed and whole: what the client sees and what the model gets."""

from __future__ import annotations

import asyncio
import json

import pytest
from aiohttp import ClientSession

from proxy.retrieval.dialogue import ENOUGH, TOO_MANY
from proxy.retrieval.tool import NAME
from proxy.upstream import Usage
from tests.retrieval.desk import (
    LOCATOR,
    NOWHERE,
    QUESTION,
    ROUND_USAGE,
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
from tests.scripted_upstream import Hang, Reset, ScriptedUpstream, Stream, chunk, error


async def test_a_call_of_ours_is_answered_and_the_client_sees_only_what_follows(
    client: ClientSession, model: ScriptedUpstream, stream: bool
) -> None:
    model.reply(says(None, reads()), says("It is line 7."))
    got = await ask(client, QUESTION, stream)
    assert (got.message["content"], got.finish) == ("It is line 7.", "stop")
    assert "tool_calls" not in got.message
    assert b"context_read" not in got.body
    first, second = model.requests
    assert second.json["messages"][:-2] == first.json["messages"]
    assert second.json["messages"][-2]["tool_calls"] == [reads()]
    assert results(second)["call_r1"] == f"[Forebay: lines 7-7 of 500 of {LOCATOR}]\nline 7 of the log\n"
    assert faults(model.requests) == []


async def test_texts_of_all_rounds_are_one_text_under_one_id(
    client: ClientSession, model: ScriptedUpstream, stream: bool
) -> None:
    model.reply(says("Let me look.", reads(), named="chatcmpl-a"), says("It is line 7.", named="chatcmpl-b"))
    got = await ask(client, QUESTION, stream)
    assert got.message["content"] == "Let me look.\n\nIt is line 7."
    assert b"chatcmpl-a" in got.body
    assert b"chatcmpl-b" not in got.body


async def test_the_clients_own_calls_pass(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    model.reply(says("One moment.", weather("call_w1"), weather("call_w2", "Rome")))
    got = await ask(client, QUESTION, stream)
    assert got.message["tool_calls"] == [weather("call_w1"), weather("call_w2", "Rome")]
    assert (got.message["content"], got.finish) == ("One moment.", "tool_calls")
    assert len(model.requests) == 1
    assert desk.records.kept == {}


@pytest.mark.parametrize("transport", ["relay"], indirect=True)
async def test_a_stream_without_a_call_of_ours_is_the_providers_bytes(
    client: ClientSession, model: ScriptedUpstream
) -> None:
    said = [b"data: ", "å".encode()[:1], "å".encode()[1:] + b"\r\n\r\n", b": a comment\n\n"]
    items = [*said, *streamed("Hi", [weather()], "tool_calls")]
    model.reply(Stream(items))
    got = await ask(client, QUESTION, stream=True)
    assert got.body == b"".join(
        i if isinstance(i, bytes) else b"data: " + json.dumps(i).encode() + b"\n\n" for i in items
    )


async def test_in_a_mixed_turn_ours_is_answered_and_the_clients_handed_on(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    model.reply(says(None, weather("call_w1"), reads(), weather("call_w2", "Rome")))
    got = await ask(client, QUESTION, stream)
    assert got.message["tool_calls"] == [weather("call_w1"), weather("call_w2", "Rome")]
    assert got.finish == "tool_calls"
    assert len(model.requests) == 1
    assert desk.reads == [("lines", "found")]


async def test_the_next_request_carries_a_mixed_turn_as_the_model_made_it(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    model.reply(says("Hm.", weather("call_w1"), reads(), weather("call_w2", "Rome")))
    got = await ask(client, QUESTION, stream)
    given = [{"role": "tool", "tool_call_id": f"call_w{n}", "content": "rain"} for n in (1, 2)]
    desk.restart()
    await ask(client, [*QUESTION, got.message, *given], stream)
    carried = model.requests[-1].json["messages"]
    assert carried[1]["tool_calls"] == [weather("call_w1"), reads(), weather("call_w2", "Rome")]
    assert [each["role"] for each in carried] == ["user", "assistant", "tool", "tool", "tool"]
    assert "line 7 of the log" in results(model.requests[-1])["call_r1"]
    assert faults(model.requests) == []


async def test_the_next_request_continues_the_last_rounds_prompt_on_any_worker(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    model.reply(
        says("Let me look.", reads()), says(None, reads("call_r2", locator=LOCATOR, grep="line 8 ")), says("Done.")
    )
    got = await ask(client, QUESTION, stream)
    further = [*QUESTION, got.message, {"role": "user", "content": "And line 8?"}]
    await ask(client, further, stream)
    desk.restart()
    await ask(client, further, stream)
    *_, last_round, warm, cold = model.requests
    messages = last_round.json["messages"]
    assert warm.json["messages"] == cold.json["messages"]
    assert warm.body == cold.body
    assert warm.json["messages"][: len(messages)] == messages
    assert [each["content"] for each in warm.json["messages"][len(messages) :]] == ["Done.", "And line 8?"]
    assert faults(model.requests) == []


async def test_a_wrong_locator_gets_one_text_that_ends_the_matter(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    model.reply(says(None, reads(locator=NOWHERE)), says("It is gone."))
    await ask(client, QUESTION, stream)
    assert f"do not ask for {NOWHERE} again" in results(model.requests[-1])["call_r1"]
    assert desk.reads == [("lines", "unknown")]


async def test_what_expired_is_told_apart_by_its_marker(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    desk.artifacts.kept.clear()
    model.reply(says(None, reads()), says("It is gone."))
    await ask(client, QUESTION, stream)
    assert "Run the source again" in results(model.requests[-1])["call_r1"]
    assert desk.reads == [("lines", "expired")]


async def test_a_sixth_round_is_told_that_it_is_enough_and_the_last_one_cannot_ask(
    client: ClientSession, model: ScriptedUpstream, stream: bool
) -> None:
    model.reply(*(says(None, reads(f"call_r{n}")) for n in range(6)), says("At last."))
    got = await ask(client, QUESTION, stream)
    assert got.message["content"] == "At last."
    assert len(model.requests) == 7
    told = results(model.requests[-1])
    assert [told[f"call_r{n}"] == ENOUGH for n in range(6)] == [False] * 5 + [True]
    offered = [NAME in json.dumps(request.json["tools"]) for request in model.requests]
    assert offered == [True] * 6 + [False]
    assert model.requests[-1].json["tools"] == TOOLS
    assert faults(model.requests) == []


async def test_a_model_that_calls_what_it_does_not_have_is_not_heard(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    desk.max_rounds = 1
    model.reply(*(says(f"Try {n}.", reads(f"call_r{n}")) for n in range(3)))
    got = await ask(client, QUESTION, stream)
    assert len(model.requests) == 3
    assert (got.message["content"], got.finish) == ("Try 0.\n\nTry 1.\n\nTry 2.", "stop")
    assert "tool_calls" not in got.message


async def test_a_required_call_stays_required_in_every_round(
    client: ClientSession, model: ScriptedUpstream, stream: bool
) -> None:
    model.reply(says(None, reads()), says(None, weather()))
    got = await ask(client, QUESTION, stream, tool_choice="required")
    assert got.message["tool_calls"] == [weather()]
    assert [request.json["tool_choice"] for request in model.requests] == ["required", "required"]


async def test_many_calls_at_once_are_bounded(client: ClientSession, model: ScriptedUpstream, stream: bool) -> None:
    model.reply(says(None, *(reads(f"call_r{n}") for n in range(10))), says("Good."))
    await ask(client, QUESTION, stream)
    told = results(model.requests[-1])
    assert [told[f"call_r{n}"] == TOO_MANY for n in range(10)] == [False] * 8 + [True] * 2
    assert faults(model.requests) == []


async def test_without_room_in_the_window_nothing_is_read(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    desk.room = 100
    model.reply(says(None, reads()), says("Good."))
    await ask(client, QUESTION, stream)
    assert results(model.requests[-1])["call_r1"] == ENOUGH
    assert model.requests[-1].json["tools"] == TOOLS


async def test_answers_take_no_more_room_than_there_is(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    desk.room = 700
    calls = [reads(f"call_r{n}", locator=LOCATOR, lines="1-400") for n in range(2)]
    model.reply(says(None, *calls), says("Good."))
    await ask(client, QUESTION, stream)
    first, second = model.requests
    assert len(str(second.json).split()) - len(str(first.json).split()) <= 700
    assert all("goes on with lines" in text for text in results(second).values())


async def test_a_call_cut_off_is_told_as_it_is_and_nothing_is_recorded(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    half = reads()
    half["function"]["arguments"] = '{"locator": "art_'
    model.reply(says("I will re", half, finish="length"))
    got = await ask(client, QUESTION, stream)
    assert (got.message["content"], got.finish) == ("I will re", "length")
    assert "tool_calls" not in got.message
    assert len(model.requests) == 1
    assert (desk.records.kept, desk.reads) == ({}, [])


async def test_a_call_cut_off_later_keeps_the_rounds_that_were_whole(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    half = reads("call_r2")
    half["function"]["arguments"] = '{"loc'
    model.reply(says(None, reads()), says("So far", half, finish="length"))
    got = await ask(client, QUESTION, stream)
    await ask(client, [*QUESTION, got.message, {"role": "user", "content": "go on"}], stream)
    assert set(results(model.requests[-1])) == {"call_r1"}
    assert faults(model.requests) == []


@pytest.mark.parametrize("reset", [True, False], ids=["reset", "ends early"])
async def test_a_stream_that_breaks_in_a_call_of_ours_ends_with_an_error(
    reset: bool, client: ClientSession, model: ScriptedUpstream, desk: Desk
) -> None:
    items = streamed("I will", [reads()], "tool_calls")[:-5]
    model.reply(Stream(items, reset=reset))
    got = await ask(client, QUESTION, stream=True)
    *before, last = events(got.body)
    assert last["error"]["code"] == "upstream_error"
    assert "".join(each["choices"][0]["delta"].get("content") or "" for each in before) == "I will"
    assert b"context_read" not in got.body
    assert (desk.records.kept, desk.reads) == ({}, [])


async def test_a_refused_round_is_the_providers_error(
    client: ClientSession, model: ScriptedUpstream, stream: bool
) -> None:
    said = {"message": "Slow down", "type": "requests", "param": None, "code": "rate_limit_exceeded"}
    model.reply(says("Let me look.", reads()), error(429, {"error": said}))
    got = await ask(client, QUESTION, stream)
    if stream:
        assert events(got.body)[-1] == {"error": said}
        assert b"[DONE]" not in got.body
    else:
        assert (got.status, json.loads(got.body)) == (429, {"error": said})


async def test_a_round_that_cannot_be_asked_is_an_error(
    client: ClientSession, model: ScriptedUpstream, stream: bool
) -> None:
    model.reply(says("Let me look.", reads()), Reset(), Reset())
    got = await ask(client, QUESTION, stream)
    if stream:
        assert events(got.body)[-1]["error"]["code"] == "upstream_error"
    else:
        assert got.status == 502


async def test_the_client_reads_the_last_rounds_usage_and_is_billed_all(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    model.reply(says(None, reads()), says("It is line 7."))
    got = await ask(client, QUESTION, stream, stream_options={"include_usage": True} if stream else None)
    assert got.usage is not None
    assert {name: got.usage[name] for name in ROUND_USAGE} == ROUND_USAGE
    (answer,) = desk.answers
    assert answer.usage == Usage(200, 20)


async def test_a_client_that_leaves_ends_the_round_under_way(
    client: ClientSession, model: ScriptedUpstream, stream: bool
) -> None:
    model.reply(says("Let me look.", reads()), Hang())
    asking = asyncio.create_task(ask(client, QUESTION, stream))
    await model.arrived(2)
    asking.cancel()
    await asyncio.wait_for(model.aborted.wait(), 10)


async def test_a_client_that_leaves_a_further_rounds_stream_ends_it(
    client: ClientSession, model: ScriptedUpstream, desk: Desk
) -> None:
    desk.heartbeat_seconds = 0.01
    model.reply(says(None, reads()), Stream([chunk({"role": "assistant"}), chunk({"content": "a"}), asyncio.Event()]))
    asking = asyncio.create_task(ask(client, QUESTION, stream=True))
    await model.arrived(2)
    asking.cancel()
    await asyncio.wait_for(model.aborted.wait(), 10)


async def test_a_store_that_is_down_costs_nothing_while_the_process_lives(
    client: ClientSession, model: ScriptedUpstream, desk: Desk, stream: bool
) -> None:
    desk.records.down = True
    model.reply(says(None, reads()), says("It is line 7."))
    got = await ask(client, QUESTION, stream)
    further = [*QUESTION, got.message, {"role": "user", "content": "And?"}]
    assert desk.losses == 1
    await ask(client, further, stream)
    assert "call_r1" in results(model.requests[-1])
    desk.restart()
    await ask(client, further, stream)
    assert model.requests[-1].json["messages"] == further
    assert desk.losses == 2


async def test_what_the_provider_calls_reasoning_goes_back_with_its_call(
    client: ClientSession, model: ScriptedUpstream, stream: bool
) -> None:
    model.reply(says(None, reads(), reasoning_content="I need line 7."), says("Good."))
    await ask(client, QUESTION, stream)
    assert model.requests[-1].json["messages"][1]["reasoning_content"] == "I need line 7."


async def test_a_request_that_is_not_offered_the_tool_carries_nothing_of_ours(
    client: ClientSession, model: ScriptedUpstream, stream: bool
) -> None:
    model.reply(says("Hi", reads()))
    got = await ask(client, QUESTION, stream, n=2)
    assert got.message["tool_calls"] == [reads()]
    assert model.requests[0].json["tools"] == TOOLS
