"""Sub-agents through a whole proxy: what they inherited stays behind, and whose they are can be told afterwards."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.app import Running
from proxy.demo.structure import violations
from proxy.http import keys
from tests.end_to_end.house import LOCATOR, Answer, Provider, Transport, ask, chat, history, look, settled
from tests.scripted_upstream import Json, Recorded, Reply, completion

pytestmark = pytest.mark.asyncio(loop_scope="module")

SESSIONS = "/v1/context/sessions"
Message = dict[str, Any]
ISOLATED = {"x-context-isolate": "1"}
TASK = {"role": "user", "content": "Find the crane that moved box 40."}
TOOLS = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}]
MINE: list[Message] = [
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "own", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "own", "content": "crane 3 moved box 40"},
    {"role": "assistant", "content": "It was crane 3."},
    {"role": "user", "content": "Are you sure?"},
]


def parents(turns: int = 6) -> list[Message]:
    """A history that a sub-agent inherits; its words are recognised."""
    return json.loads(json.dumps(history(turns)).replace("berth", "CANARY"))  # type: ignore[no-any-return]


def beginning(said: list[Message], more: str) -> list[Message]:
    """The same, but another session's: its first words say so."""
    system, first, *rest = said
    return [system, {**first, "content": f"{first['content']} {more}"}, *rest]


def removed(answer: Answer) -> int:
    return sum(answer.number(f"{kind}-tokens") for kind in ("dropped", "cleared", "spilled", "reduced"))


async def told(client: ClientSession, session: str) -> Any:
    answer = await look(client, f"{SESSIONS}/{session}")
    assert answer.status == 200
    return answer.json


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_the_inherited_history_stays_behind_and_is_named(
    client: ClientSession, provider: Provider, transport: Transport, stream: bool
) -> None:
    body = chat(f"{transport}-32000", *parents(), TASK, stream=stream)
    answer = await ask(client, body, headers=ISOLATED)
    went = provider.only.json
    system, task = went["messages"]
    assert system == parents()[0]
    assert "CANARY" not in json.dumps(went["messages"][1:])
    assert re.fullmatch(
        re.escape(TASK["content"]) + r"\n\n\[Forebay: 14 messages of inherited history, \d+ tokens, were left out on "
        r"request; kept as art_[a-z2-7]{12}\]",
        task["content"],
    )
    assert violations(went) == ()
    assert answer.status == 200
    assert answer.number("received-tokens") > 1_000 > answer.number("forwarded-tokens")
    assert removed(answer) == answer.number("dropped-tokens") > 1_000
    added = answer.number("added-tokens")
    assert answer.number("received-tokens") + added - removed(answer) == answer.number("forwarded-tokens")


async def test_without_the_header_it_goes_on(client: ClientSession, provider: Provider, transport: Transport) -> None:
    answer = await ask(client, chat(f"{transport}-32000", *parents(), TASK))
    assert provider.only.body.count(b"CANARY") == json.dumps(parents()).count("CANARY")
    assert answer.number("dropped-tokens") == 0


async def test_while_the_sub_agent_goes_on_its_prefix_stays(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    said = [*beginning(parents(), f"on {transport}"), TASK]
    for more in ([], MINE[:2], MINE):
        answer = await ask(client, chat(f"{transport}-32000", *said, *more, tools=TOOLS), headers=ISOLATED)
        assert answer.status == 200
    first, second, third = (request.json["messages"] for request in provider.requests)
    assert second == [*first, *MINE[:2]]
    assert third == [*first, *MINE]


async def test_a_request_that_inherited_nothing_goes_on_byte_for_byte(
    client: ClientSession, provider: Provider
) -> None:
    notes = {"role": "user", "content": "Some notes."}
    for said in ([TASK], [history(0)[0], notes, TASK]):
        body = json.dumps(chat("gpt-5", *said)).encode()
        await ask(client, body, headers=ISOLATED)
        assert provider.requests[-1].body == body


async def test_a_sub_agent_that_inherited_nothing_keeps_its_own_turns(
    client: ClientSession, provider: Provider
) -> None:
    said = [history(0)[0], {"role": "user", "content": "Count the boxes."}]
    await ask(client, chat("gpt-5", *said), headers=ISOLATED)
    body = json.dumps(chat("gpt-5", *said, *MINE)).encode()
    await ask(client, body, headers=ISOLATED)
    assert provider.requests[-1].body == body


async def test_a_sub_agent_of_a_sub_agent_inherits_nothing_either(client: ClientSession, provider: Provider) -> None:
    said = [*beginning(parents(), "of three"), TASK]
    names = {"x-context-session": "the child", "x-context-parent": "the parent"}
    await ask(client, chat("relay-32000", *said), headers={**ISOLATED, **names})
    order = {"role": "user", "content": "Ask crane 3."}
    theirs = {"x-context-session": "the grandchild", "x-context-parent": "the child"}
    await ask(client, chat("relay-32000", *said, *MINE[:3], order), headers={**ISOLATED, **theirs})
    system, task = provider.requests[-1].json["messages"]
    assert system == said[0]
    assert task["content"].startswith("Ask crane 3.\n\n[Forebay: ")
    assert "crane 3 moved" not in json.dumps(task)


async def test_a_pending_call_and_its_late_result_leave(client: ClientSession, provider: Provider) -> None:
    call = {"id": "spawned", "type": "function", "function": {"name": "spawn", "arguments": "{}"}}
    late = {"role": "tool", "tool_call_id": "spawned", "content": "CANARY is off"}
    said = [*parents()[:-1], {"role": "assistant", "content": None, "tool_calls": [call]}, TASK]
    await ask(client, chat("relay-32000", *said), headers=ISOLATED)
    await ask(client, chat("relay-32000", *said, MINE[2], late, MINE[3]), headers=ISOLATED)
    for request in provider.requests:
        assert violations(request.json) == ()
        assert b"CANARY" not in request.body.partition(b'"user"')[2]


async def test_the_model_reads_back_what_was_left_out(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    def curious(request: Recorded) -> Reply:
        locator = LOCATOR.search(request.body.decode())
        assert locator
        arguments = json.dumps({"locator": locator[0], "grep": "moved box 58"})
        call = {"id": "back", "type": "function", "function": {"name": "context_read", "arguments": arguments}}
        return Json(completion({"content": None, "tool_calls": [call]}, "tool_calls"))

    provider.reply(curious)
    said = [*beginning(parents(), f"read by {transport}"), TASK]
    answer = await ask(client, chat(f"{transport}-32000", *said, tools=TOOLS), headers=ISOLATED)
    sent = provider.requests[-1].json["messages"]
    assert sent[-1]["role"] == "tool"
    assert "CANARY 2 line 29: the crane moved box 58" in sent[-1]["content"]
    said += [answer.json["choices"][0]["message"], MINE[3]]
    later = await ask(client, chat(f"{transport}-32000", *said, tools=TOOLS), headers=ISOLATED)
    assert provider.requests[-1].json["messages"][: len(sent)] == sent
    added = later.number("added-tokens")
    assert later.number("received-tokens") + added - removed(later) == later.number("forwarded-tokens")


async def test_what_was_left_out_is_one_artifact_for_anyone_of_the_tenant(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    await ask(client, chat("relay-32000", *parents(), TASK), headers=ISOLATED)
    await settled(proxy)
    locators = set(LOCATOR.findall(provider.only.body.decode()))
    assert len(locators) == 1
    artifact = (await look(client, f"/v1/context/artifacts/{locators.pop()}")).json
    assert artifact["kind"] == "turns"
    kept = [json.loads(line) for line in artifact["text"].splitlines()]
    assert [message["role"] for message in kept] == [message["role"] for message in parents()[1:]]
    assert kept[0] == parents()[1]


async def test_observed_isolation_is_reported_and_changes_nothing(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    body = json.dumps(chat("gpt-5", *parents(), TASK)).encode()
    answer = await ask(client, body, headers={**ISOLATED, "x-context-mode": "observe"})
    assert provider.only.body == body
    assert (answer.number("dropped-tokens"), answer.number("added-tokens")) == (0, 0)
    await settled(proxy)
    report = (await told(client, answer.headers["x-context-session"]))["requests"][0]["report"]
    assert report["isolation"]["inherited_messages"] == 14
    assert report["isolation"]["inherited_tokens"] > 1_000
    assert (report["isolation"]["left_out"], report["removed_tokens"]) == (False, {})


async def test_off_passes_all_on(client: ClientSession, provider: Provider) -> None:
    body = json.dumps(chat("gpt-5", *parents(), TASK)).encode()
    await ask(client, body, headers={**ISOLATED, "x-context-mode": "off"})
    assert provider.only.body == body


async def test_a_policy_can_refuse_it(client: ClientSession, provider: Provider) -> None:
    headers = {**ISOLATED, "x-context-policy": "together"}
    answer = await ask(client, chat("relay-32000", *parents(), TASK), headers=headers)
    assert (answer.status, answer.error["code"], answer.error["param"]) == (403, "forbidden", "x-context-isolate")
    assert "'together' (isolate.on_request)" in answer.error["message"]
    assert provider.requests == []


async def test_a_plan_foresees_it_and_leaves_no_trace(client: ClientSession, provider: Provider) -> None:
    said = [*beginning(parents(), "as planned"), TASK]
    plan = (await ask(client, chat("relay-32000", *said), "/v1/context/plan", ISOLATED)).json
    answer = await ask(client, chat("relay-32000", *said), headers=ISOLATED)
    assert plan["isolation"]["task"] == len(said) - 1
    assert plan["isolation"]["locator"] in provider.only.body.decode()
    assert plan["removed_tokens"] == {"isolate": answer.number("dropped-tokens")}
    assert (plan["session"], plan["parent"]) != (None, None)
    assert plan["session"] == answer.headers["x-context-session"]
    later = [*beginning(parents(), "only planned"), TASK]
    await ask(client, chat("relay-32000", *later), "/v1/context/plan", ISOLATED)
    await ask(client, chat("relay-32000", *later, *MINE), headers=ISOLATED)
    assert provider.requests[-1].json["messages"][-1]["content"].startswith("Are you sure?\n\n[Forebay: ")


async def test_the_removed_tokens_are_counted_by_isolation(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    def counted() -> float:
        page = proxy.app[keys.METRICS].exposition().decode()
        found = re.findall(r'removed_tokens_total\{by="isolate",[^}]*\} (\S+)', page)
        return sum(map(float, found))

    before = counted()
    answer = await ask(client, chat("relay-32000", *parents(), TASK), headers=ISOLATED)
    assert counted() - before == answer.number("dropped-tokens") > 0


async def test_a_child_with_names_for_both_is_told_beneath_its_parent_with_totals_rolled_up(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    for session, parent in (("roll-up", None), ("roll-up/1", "roll-up"), ("roll-up/1/1", "roll-up/1")):
        names = {"x-context-session": session} | ({"x-context-parent": parent, **ISOLATED} if parent else {})
        answer = await ask(client, chat("relay-32000", *parents(), TASK), headers=names)
        await settled(proxy)
        assert (await told(client, session))["session"] == answer.headers["x-context-session"]
    top, child, grandchild = [await told(client, name) for name in ("roll-up", "roll-up/1", "roll-up/1/1")]
    assert (top["children"], child["children"]) == ([child["session"]], [grandchild["session"]])
    assert (child["parent"], grandchild["parent"]) == (top["session"], child["session"])
    assert top["descendants"] == {"counted": 2, "whole": True}
    for name, amount in top["totals_with_children"].items():
        assert amount == pytest.approx(sum(each["totals"][name] for each in (top, child, grandchild)))
    assert top["totals"]["requests"] == 1


async def test_a_child_under_its_parents_name_has_a_session_of_its_own(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    name = {"x-context-session": "shared name"}
    await ask(client, chat("relay-32000", *parents()), headers=name)
    one = [*parents(), TASK]
    for said in (one, [*one, *MINE], [*parents(), {"role": "user", "content": "Another task."}]):
        await ask(client, chat("relay-32000", *said), headers={**name, **ISOLATED})
    await ask(client, chat("relay-32000", *one), headers={**name, **ISOLATED, "x-context-parent": "shared name"})
    await settled(proxy)
    top = await told(client, "shared%20name")
    children = [await told(client, child) for child in top["children"]]
    assert top["totals"]["requests"] == 1
    assert sorted(child["totals"]["requests"] for child in children) == [1, 3]
    assert {child["parent"] for child in children} == {top["session"]}
    assert top["totals_with_children"]["requests"] == 5


async def test_without_names_a_child_is_known_by_system_text_and_task_and_its_parent_by_what_it_inherited(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    said = beginning(parents(), "without names")
    parent = await ask(client, chat("relay-32000", *said))
    child = await ask(client, chat("relay-32000", *said, TASK), headers=ISOLATED)
    goes_on = await ask(client, chat("relay-32000", *said, TASK, *MINE), headers=ISOLATED)
    alone = await ask(client, chat("relay-32000", said[0], TASK))
    await settled(proxy)
    ids = [answer.headers["x-context-session"] for answer in (parent, child, goes_on, alone)]
    assert ids[0] != ids[1] == ids[2] == ids[3]
    assert (await told(client, ids[0]))["children"] == [ids[1]]


async def test_one_name_carries_histories_told_apart_by_fingerprint(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    name = {"x-session-id": "several"}
    title = [{"role": "system", "content": "Name this session."}, {"role": "user", "content": "Read every log."}]
    for said in (parents(), title, parents(7)):
        await ask(client, chat("relay-32000", *said), headers=name)
        await settled(proxy)
    session = await told(client, "several")
    latest, other = session["histories"]
    assert (latest["requests"], other["requests"]) == (2, 1)
    assert [each["report"]["history"] for each in session["requests"]] == [
        latest["history"],
        other["history"],
        latest["history"],
    ]
    assert latest["updated"] == session["updated"]
