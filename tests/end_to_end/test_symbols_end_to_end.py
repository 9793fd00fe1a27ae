"""Code by its names, through a whole proxy: the model searches and loads, the client never knows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import openai
import pytest
from aiohttp import ClientSession

from proxy.app import Running
from proxy.demo.structure import violations
from proxy.http import keys
from proxy.keys import hash_key
from proxy.retrieval.tool import CODE_NAME, NAME
from proxy.settings import AuthSettings, Settings, TenantSettings, WorkspaceSettings
from proxy.wire.cache import Generations
from tests.end_to_end.house import Answer, Provider, Transport, ask, chat, history, proxy_settings
from tests.retrieval.desk import says, tool_call
from tests.scripted_upstream import Recorded, Reply

pytestmark = pytest.mark.asyncio(loop_scope="module")

BOAT = "class Boat:\n    def sail(self, speed):\n        return speed\n\n\ndef main():\n    Boat().sail(1)\n"
TOOLS = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}]
OWN = {"type": "function", "function": {"name": CODE_NAME, "parameters": {"type": "object", "properties": {}}}}
WIDE = """
extends: default
on_arrival: {spill: {threshold_tokens: 500, source_threshold_tokens: 500}}
retrieval: {page_tokens: 6000}
"""
"""Answers of ours are so large here that they would be spilled, were they another tool's."""
TEAM, OTHER = "fb-team-key", "fb-other-key"


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("code")


@pytest.fixture(scope="module")
def settings(modules_provider: Provider, tmp_path_factory: pytest.TempPathFactory, code: Path) -> Settings:
    folder = tmp_path_factory.mktemp("forebay")
    plain = proxy_settings(modules_provider.url, folder)
    (folder / "policies" / "wide.yaml").write_text(WIDE)
    tenants = tuple(
        TenantSettings(name=name, key_hashes=(hash_key(key),), policies=("wide",))
        for name, key in (("team", TEAM), ("others", OTHER))
    )
    named = (WorkspaceSettings(name="app", path=code, tenants=("team",)),)
    return plain.model_copy(update={"auth": AuthSettings(mode="keys"), "tenants": tenants, "workspaces": named})


@pytest.fixture(autouse=True)
def _boat(code: Path) -> None:
    (code / "boat.py").write_text(BOAT)


async def asked(
    client: ClientSession, *messages: dict[str, Any], key: str = TEAM, policy: str = "", **more: Any
) -> Answer:
    body = chat(more.pop("model", "relay-32000"), *messages, **{"tools": TOOLS, **more})
    chosen = {"x-context-policy": policy} if policy else {}
    return await ask(client, body, headers={"authorization": f"Bearer {key}", **chosen})


def offered(request: Recorded) -> list[str]:
    return [tool["function"]["name"] for tool in request.json["tools"]]


def results(request: Recorded) -> list[str]:
    """What the tools have told the model so far."""
    return [message["content"] for message in request.json["messages"] if message["role"] == "tool"]


def look_up(id: str = "call_c1", **arguments: str) -> dict[str, Any]:
    function = {"name": CODE_NAME, "arguments": json.dumps(arguments)}
    return {"id": id, "type": "function", "function": function}


def counted(proxy: Running, by: str, result: str) -> float:
    shown = proxy.app[keys.METRICS].exposition().decode()
    match = re.search(rf'forebay_retrievals_total{{by="{by}",result="{result}"}} (\S+)', shown)
    return float(match[1]) if match else 0


def loading_what_was_found(request: Recorded) -> Reply:
    """A model that loads the first place of the list it was given."""
    place = results(request)[-1].splitlines()[1].split(" ")[0]
    return says(None, look_up("call_c2", name=place))(request)


def telling(request: Recorded) -> Reply:
    """A model that repeats what it was told last."""
    return says(results(request)[-1])(request)


async def test_the_model_searches_and_loads_what_it_found(
    proxy: Running, client: ClientSession, provider: Provider, transport: Transport
) -> None:
    before = counted(proxy, "search", "found"), counted(proxy, "symbol", "found")
    provider.reply(says(None, look_up(search="sail")), loading_what_was_found, telling)
    answer = await asked(client, model=f"{transport}-32000")
    told = answer.json["choices"][0]["message"]["content"]
    assert re.match(r"\[Forebay: boat\.py:2-3@[0-9a-f]{8} method Boat\.sail\]\n", told)
    assert told.endswith("    def sail(self, speed):\n        return speed\n")
    assert CODE_NAME.encode() not in answer.body
    assert [violations(request.json) for request in provider.requests] == [(), (), ()]
    assert offered(provider.requests[0]) == ["read", NAME, CODE_NAME]
    assert (counted(proxy, "search", "found"), counted(proxy, "symbol", "found")) == (before[0] + 1, before[1] + 1)


async def test_the_same_as_a_stream(client: ClientSession, provider: Provider, proxy: Running) -> None:
    provider.reply(says("Let me look.", look_up(search="sail")), loading_what_was_found, telling)
    async with openai.AsyncOpenAI(base_url=f"{proxy.url}/v1", api_key=TEAM, max_retries=0) as agent:
        stream = await agent.chat.completions.create(**chat("relay-32000", tools=TOOLS), stream=True)
        chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text.startswith("Let me look.\n\n[Forebay: boat.py:2-3@")
    assert not any(chunk.choices[0].delta.tool_calls for chunk in chunks if chunk.choices)


async def test_a_definition_is_loaded_by_its_name(client: ClientSession, provider: Provider) -> None:
    provider.reply(says(None, look_up(name="Boat.sail")), telling)
    told = (await asked(client)).json["choices"][0]["message"]["content"]
    assert told.endswith("    def sail(self, speed):\n        return speed\n")


async def test_no_match_is_said_and_counted(proxy: Running, client: ClientSession, provider: Provider) -> None:
    before = counted(proxy, "search", "nothing")
    provider.reply(says(None, look_up(search="zeppelin")), telling)
    told = (await asked(client)).json["choices"][0]["message"]["content"]
    assert told == "[Forebay: no definition matches 'zeppelin']"
    assert counted(proxy, "search", "nothing") == before + 1


@pytest.mark.parametrize("arguments", ['{"find": "sail"}', "{}", "[1]", '{"search": ["a"]}', '{"search": ""}', "{"])
async def test_a_call_that_says_nothing_is_told_how_it_is_done(
    proxy: Running, client: ClientSession, provider: Provider, arguments: str
) -> None:
    before = counted(proxy, "search", "misread")
    call = {"id": "call_c1", "type": "function", "function": {"name": CODE_NAME, "arguments": arguments}}
    provider.reply(says(None, call), telling)
    told = (await asked(client)).json["choices"][0]["message"]["content"]
    assert 'code_symbol takes search or name, like {"search": "parse config"}' in told
    assert counted(proxy, "search", "misread") == before + 1
    assert violations(provider.requests[-1].json) == ()


async def test_an_edit_is_seen_by_the_next_call_and_an_old_place_says_so(
    client: ClientSession, provider: Provider, code: Path
) -> None:
    def edited(request: Recorded) -> Reply:
        (code / "boat.py").write_text("import os\n\n" + BOAT)
        return loading_what_was_found(request)

    provider.reply(says(None, look_up(search="sail")), edited, telling)
    told = (await asked(client)).json["choices"][0]["message"]["content"]
    assert told.startswith("[Forebay: boat.py:4-5@")
    assert "the file has changed since lines 2-3 were cited" in told


async def test_another_tenant_is_offered_nothing_and_gets_its_own_calls(
    client: ClientSession, provider: Provider
) -> None:
    provider.reply(says(None, look_up(search="sail")))
    answer = await asked(client, key=OTHER)
    assert offered(provider.only) == ["read", NAME]
    assert answer.json["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == CODE_NAME


@pytest.mark.parametrize("stream", [False, True])
async def test_a_tool_of_the_clients_with_this_name_stays_the_clients(
    proxy: Running, client: ClientSession, provider: Provider, stream: bool
) -> None:
    before = counted(proxy, "search", "found")
    provider.reply(says(None, look_up(search="sail")))
    answer = await asked(client, tools=[*TOOLS, OWN], stream=stream)
    assert offered(provider.only) == ["read", CODE_NAME, NAME]
    assert b'"call_c1"' in answer.body
    assert CODE_NAME.encode() in answer.body
    assert counted(proxy, "search", "found") == before


async def test_both_tools_in_one_turn_beside_a_call_of_the_clients(
    client: ClientSession, provider: Provider, proxy: Running
) -> None:
    theirs = tool_call("read", "call_t1", berth=1)

    def both(request: Recorded) -> Reply:
        locator = re.findall(r"result cleared, .*?kept as (art_[a-z2-7]{12})", request.body.decode())[0]
        ours = tool_call(NAME, "call_a1", locator=locator, lines="3")
        return says("Looking.", ours, theirs, look_up(name="main"))(request)

    provider.reply(both)
    messages = history(60)
    first = await asked(client, *messages)
    message = first.json["choices"][0]["message"]
    assert message["tool_calls"] == [theirs]
    messages += [message, {"role": "tool", "tool_call_id": "call_t1", "content": "free"}]
    proxy.app[keys.EXCHANGES]._known = Generations(1_000_000)  # another worker
    await asked(client, *messages)
    told = provider.requests[-1]
    assert violations(told.json) == ()
    calls = [call["function"]["name"] for call in told.json["messages"][-4]["tool_calls"]]
    assert calls == [NAME, "read", CODE_NAME]
    by_id = {m["tool_call_id"]: m["content"] for m in told.json["messages"][-3:]}
    assert "berth" in by_id["call_a1"]
    assert by_id["call_c1"].endswith("def main():\n    Boat().sail(1)\n")
    assert by_id["call_t1"] == "free"


async def test_what_was_read_is_never_spilled_or_counted_twice(
    client: ClientSession, provider: Provider, code: Path
) -> None:
    long = "class Long:\n" + "".join(f"    def m{n}(self):\n        return {n} * {n}\n" for n in range(400))
    (code / "long.py").write_text(long)
    provider.reply(says(None, look_up(name="Long")), says("Read."))
    messages: list[dict[str, Any]] = [{"role": "user", "content": "What is Long?"}]
    first = await asked(client, *messages, policy="wide")
    assert first.number("added-tokens") < 200
    sent = provider.requests[-1].json["messages"]
    messages += [first.json["choices"][0]["message"], {"role": "user", "content": "Thank you."}]
    second = await asked(client, *messages, policy="wide")
    assert provider.requests[-1].json["messages"][: len(sent)] == sent
    assert len(sent[-1]["content"]) > 10_000
    assert second.number("spilled-results") == 0
    removed = sum(second.number(f"{kind}-tokens") for kind in ("dropped", "cleared", "spilled", "reduced"))
    assert second.number("received-tokens") + second.number("added-tokens") - removed == second.number(
        "forwarded-tokens"
    )


async def test_both_definitions_are_in_what_was_added(client: ClientSession, provider: Provider) -> None:
    team, other = await asked(client), await asked(client, key=OTHER)
    assert team.number("received-tokens") == other.number("received-tokens")
    assert 80 < team.number("added-tokens") <= 160
    assert team.number("forwarded-tokens") - other.number("forwarded-tokens") == (
        team.number("added-tokens") - other.number("added-tokens")
    )


async def test_the_last_call_of_a_turn_goes_out_without_either_definition(
    client: ClientSession, provider: Provider
) -> None:
    asks = [says(None, look_up(f"call_{n}", search="sail")) for n in range(6)]
    provider.reply(*asks, says("Enough."))
    await asked(client)
    assert [offered(request) for request in provider.requests] == [*[["read", NAME, CODE_NAME]] * 6, ["read"]]
