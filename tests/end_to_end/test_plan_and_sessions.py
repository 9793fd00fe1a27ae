"""What the proxy tells beside the answer: the plan beforehand, the session afterwards, the originals at any time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.app import Running
from tests.end_to_end.house import LOCATOR, Answer, Provider, ask, chat, history, look, settled
from tests.scripted_upstream import Stream, chunk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLAN = "/v1/context/plan"
SESSIONS = "/v1/context/sessions"
LONG = chat("relay-2000", *history(20))


async def test_a_plan_tells_the_numbers_of_the_completion(client: ClientSession, provider: Provider) -> None:
    plan = (await ask(client, LONG, PLAN)).json
    answer = await ask(client, LONG)
    for key in ("received_tokens", "forwarded_tokens", "added_tokens", "compacted_turns"):
        assert plan[key] == answer.number(key.replace("_", "-"))
    assert len(plan["batches"]) == answer.number("batches") > 0
    removed = plan["removed_tokens"]
    assert removed["drop"] == answer.number("dropped-tokens")
    assert removed["clear_result"] == answer.number("cleared-tokens")
    budget = ";".join(f"{name}={use['used']}/{use['share']}" for name, use in plan["budget"].items())
    assert (plan["session"], budget) == (answer.headers["x-context-session"], answer.headers["x-context-budget"])


async def test_a_plan_calls_nobody_and_leaves_no_trace(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    mine = chat("relay-2000", *history(20, 33))
    plan = await ask(client, mine, PLAN, headers={"x-context-session": "only planned"})
    assert plan.status == 200
    await settled(proxy)
    assert provider.requests == []
    assert (await look(client, f"{SESSIONS}/only%20planned")).status == 404
    locators = {edit["locator"] for edit in plan.json["edits"] if "locator" in edit}
    assert {(await look(client, _artifact(locator))).status for locator in locators} == {404}


async def test_a_plan_of_what_cannot_fit_is_the_same_refusal(client: ClientSession, provider: Provider) -> None:
    body = chat("relay-300", {"role": "user", "content": "a word and " * 500})
    plan, answer = await ask(client, body, PLAN), await ask(client, body)
    assert (plan.status, plan.json) == (answer.status, answer.json)


async def test_a_plan_of_a_stream_is_no_stream(client: ClientSession, provider: Provider) -> None:
    plan = await ask(client, LONG | {"stream": True}, PLAN)
    assert plan.headers["content-type"].startswith("application/json")


async def test_a_session_is_found_by_the_clients_id_and_by_ours(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    answer = await ask(client, chat("relay-32000"), headers={"x-context-session": "by both"})
    await settled(proxy)
    digest = answer.headers["x-context-session"]
    by_digest, by_own = await look(client, f"{SESSIONS}/{digest}"), await look(client, f"{SESSIONS}/by%20both")
    assert by_digest.json == by_own.json
    assert by_own.json["session"] == digest
    listed = (await look(client, SESSIONS)).json["data"]
    assert digest in [session["session"] for session in listed]


async def test_a_sessions_totals_grow_with_each_request(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    totals: list[dict[str, Any]] = []
    received = 0
    for count in (1, 2, 3):
        answer = await ask(client, chat("relay-32000", *history(count)), headers={"x-context-session": "grows"})
        received += answer.number("received-tokens")
        await settled(proxy)
        totals.append((await look(client, f"{SESSIONS}/grows")).json["totals"])
        assert (totals[-1]["requests"], totals[-1]["received_tokens"]) == (count, received)
    assert totals[0]["input_tokens"] < totals[1]["input_tokens"] < totals[2]["input_tokens"]
    assert totals[0]["output_tokens"] < totals[2]["output_tokens"]


async def test_a_sessions_last_request_tells_its_budget_and_edits(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    answer = await ask(client, LONG, headers={"x-context-session": "told"})
    await settled(proxy)
    session = (await look(client, f"{SESSIONS}/told")).json
    report = session["requests"][0]["report"]
    assert report["request_id"] == answer.headers["x-context-request-id"]
    assert report["forwarded_tokens"] == answer.number("forwarded-tokens")
    assert report["removed_tokens"]["drop"] == answer.number("dropped-tokens")
    assert report["budget"].keys() == {"system", "active", "history", "output"}


async def test_a_sub_agent_is_its_parents_child(proxy: Running, client: ClientSession, provider: Provider) -> None:
    parent = await ask(client, chat("relay-32000"), headers={"x-context-session": "parent"})
    named = {"x-context-session": "child", "x-context-parent": "parent"}
    child = await ask(client, chat("relay-32000"), headers=named)
    await settled(proxy)
    ids = [answer.headers["x-context-session"] for answer in (parent, child)]
    assert (await look(client, f"{SESSIONS}/child")).json["parent"] == ids[0]
    assert (await look(client, f"{SESSIONS}/parent")).json["children"] == [ids[1]]


async def test_off_leaves_no_session(proxy: Running, client: ClientSession, provider: Provider) -> None:
    await ask(client, chat("relay-32000"), headers={"x-context-session": "off", "x-context-mode": "off"})
    await settled(proxy)
    assert (await look(client, f"{SESSIONS}/off")).status == 404


async def test_a_broken_stream_is_recorded_too(proxy: Running, client: ClientSession, provider: Provider) -> None:
    provider.reply(Stream([chunk({"role": "assistant", "content": "a"})], reset=True))
    await ask(client, chat("relay-32000", stream=True), headers={"x-context-session": "broken"})
    await settled(proxy)
    assert (await look(client, f"{SESSIONS}/broken")).json["totals"]["requests"] == 1


async def test_a_cleared_result_is_read_back_to_the_letter(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    _, messages = await _sent(client, provider, LONG)
    await settled(proxy)
    originals = {
        message["tool_call_id"]: message["content"] for message in LONG["messages"] if message["role"] == "tool"
    }
    stubs = [each for each in messages if each["role"] == "tool" and LOCATOR.search(each["content"])]
    assert stubs
    for stub in stubs:
        (locator,) = LOCATOR.findall(stub["content"])
        told = (await look(client, _artifact(locator))).json
        assert (told["locator"], told["kind"], told["next"]) == (locator, "result", None)
        assert told["text"] == originals[stub["tool_call_id"]]


async def test_dropped_turns_are_read_back_whole(proxy: Running, client: ClientSession, provider: Provider) -> None:
    answer, messages = await _sent(client, provider, LONG)
    await settled(proxy)
    (locator,) = LOCATOR.findall(messages[1]["content"])
    told = (await look(client, _artifact(locator))).json
    turns = [json.loads(line) for line in told["text"].splitlines()]
    assert told["kind"] == "turns"
    assert sum(turn["role"] == "assistant" for turn in turns) == answer.number("compacted-turns") > 0
    dropped = LONG["messages"][2 : 2 + len(turns)]
    assert turns == [{name: value for name, value in message.items() if value is not None} for message in dropped]


async def test_lines_of_an_original_are_read_by_number_and_by_pattern(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    locator, text = await _cleared(proxy, client, provider)
    lines = text.split("\n")
    some = (await look(client, f"{_artifact(locator)}?start=3&end=4")).json
    assert (some["lines"], some["start"], some["end"], some["text"]) == (30, 3, 4, f"{lines[2]}\n{lines[3]}\n")
    found = (await look(client, f"{_artifact(locator)}?grep=line%207%3A&context=1")).json["text"]
    assert found == f"7-{lines[6]}\n8:{lines[7]}\n9-{lines[8]}\n"


async def test_an_erased_original_is_gone(proxy: Running, client: ClientSession, provider: Provider) -> None:
    locator, _ = await _cleared(proxy, client, provider)
    assert (await look(client, _artifact(locator), "DELETE")).json["deleted"] is True
    gone = await look(client, _artifact(locator))
    assert (gone.status, gone.error["code"]) == (404, "not_found")
    assert "run the source again" in gone.error["message"]


async def test_an_erased_session_takes_its_originals_along(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    mine = chat("relay-2000", *history(23, 31))
    _, messages = await _sent(client, provider, mine, {"x-context-session": "to erase"})
    await settled(proxy)
    locators = _locators(messages)
    assert {(await look(client, _artifact(locator))).status for locator in locators} == {200}
    assert (await look(client, f"{SESSIONS}/to%20erase", "DELETE")).json["deleted"] is True
    assert (await look(client, f"{SESSIONS}/to%20erase")).status == 404
    assert {(await look(client, _artifact(locator))).status for locator in locators} == {404}


async def test_an_erased_original_that_is_sent_again_is_kept_again(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    locator, text = await _cleared(proxy, client, provider)
    await look(client, _artifact(locator), "DELETE")
    provider.forget()
    assert (await _cleared(proxy, client, provider))[0] == locator
    assert (await look(client, _artifact(locator))).json["text"] == text


async def _sent(
    client: ClientSession, provider: Provider, body: dict[str, Any], headers: dict[str, str] | None = None
) -> tuple[Answer, list[dict[str, Any]]]:
    """The answer, and the messages that went upstream."""
    answer = await ask(client, body, headers=headers)
    assert answer.status == 200
    messages: list[dict[str, Any]] = provider.requests[-1].json["messages"]
    return answer, messages


async def _cleared(proxy: Running, client: ClientSession, provider: Provider) -> tuple[str, str]:
    """The locator of a result that was cleared, and the result."""
    _, messages = await _sent(client, provider, LONG)
    await settled(proxy)
    stub = next(each for each in messages if each["role"] == "tool" and LOCATOR.search(each["content"]))
    (locator,) = LOCATOR.findall(stub["content"])
    whole = next(each for each in LONG["messages"] if each.get("tool_call_id") == stub["tool_call_id"])
    return locator, whole["content"]


def _locators(messages: list[dict[str, Any]]) -> set[str]:
    return set(LOCATOR.findall(json.dumps(messages)))


def _artifact(locator: str) -> str:
    return f"/v1/context/artifacts/{locator}"
