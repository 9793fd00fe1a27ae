"""Reading back what was cleared, through a whole proxy: the model asks, the client never knows."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.app import Running
from proxy.demo.structure import violations
from proxy.http import keys
from proxy.wire.cache import Generations
from tests.end_to_end.house import Answer, Provider, Transport, ask, chat, history, look, settled
from tests.scripted_upstream import Json, Recorded, Reply, completion

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOOLS = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}]
READS = {"x-context-policy": "reads"}
USAGE = {"prompt_tokens": 1_000, "completion_tokens": 10, "total_tokens": 1_010}


def curious(request: Recorded) -> Reply:
    """A model that reads the first cleared result, and then says what it found."""
    last = request.json["messages"][-1]
    if last["role"] == "tool" and last["tool_call_id"] == "call_back":
        return Json(completion({"content": f"Found: {last['content'].splitlines()[1]}"}, usage=USAGE))
    match = re.search(r"result cleared, .*?kept as (art_[a-z2-7]{12})", request.body.decode())
    assert match, "nothing was cleared"
    arguments = json.dumps({"locator": match[1], "lines": "3"})
    call = {"id": "call_back", "type": "function", "function": {"name": "context_read", "arguments": arguments}}
    return Json(completion({"content": None, "tool_calls": [call]}, "tool_calls", usage=USAGE))


def forwarded(answer: Answer) -> int:
    return answer.number("forwarded-tokens")


async def test_the_model_reads_back_what_was_cleared(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    provider.reply(curious, curious)
    answer = await ask(client, chat(f"{transport}-32000", *history(60), tools=TOOLS), headers=READS)
    assert answer.json["choices"][0]["message"]["content"] == "Found: berth 0 line 2: the crane moved box 0"
    assert b"context_read" not in answer.body
    assert [violations(request.json) for request in provider.requests] == [(), ()]


async def test_every_token_is_accounted_for(client: ClientSession, provider: Provider) -> None:
    watched = {**READS, "x-context-mode": "observe"}
    plain = await ask(client, chat("relay-32000", *history(5), tools=TOOLS), headers=watched)
    assert plain.number("added-tokens") == 0
    offered = await ask(client, chat("relay-32000", *history(5), tools=TOOLS), headers=READS)
    assert plain.number("received-tokens") == offered.number("received-tokens")
    added = offered.number("added-tokens")
    assert 0 < added <= 80
    assert forwarded(offered) == forwarded(plain) + added


async def test_later_requests_carry_the_exchange_and_count_it(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    provider.reply(curious, curious)
    messages: list[dict[str, Any]] = history(60)
    name = {"x-context-session": "carries", **READS}
    first = await ask(client, chat("relay-32000", *messages, tools=TOOLS), headers=name)
    messages += [first.json["choices"][0]["message"], {"role": "user", "content": "Thank you."}]
    second = await ask(client, chat("relay-32000", *messages, tools=TOOLS), headers=name)
    proxy.app[keys.EXCHANGES]._known = Generations(1_000_000)  # another worker
    third = await ask(client, chat("relay-32000", *messages, tools=TOOLS), headers=name)
    _, last_round, warm, cold = provider.requests
    assert warm.body == cold.body
    sent = last_round.json["messages"]
    assert warm.json["messages"][: len(sent)] == sent
    assert second.number("batches") == first.number("batches") == third.number("batches")
    assert second.number("added-tokens") > first.number("added-tokens")
    removed = sum(second.number(f"{kind}-tokens") for kind in ("dropped", "cleared", "spilled", "reduced"))
    assert second.number("received-tokens") + second.number("added-tokens") - removed == forwarded(second)
    await settled(proxy)
    totals = (await look(client, "/v1/context/sessions/carries")).json["totals"]
    assert totals["input_tokens"] >= 2_000


async def test_a_request_without_tools_is_left_alone(client: ClientSession, provider: Provider) -> None:
    body = json.dumps(chat("gpt-5")).encode()
    await ask(client, body, headers=READS)
    assert provider.only.body == body


async def test_observe_adds_nothing(client: ClientSession, provider: Provider) -> None:
    body = json.dumps(chat("gpt-5", tools=TOOLS)).encode()
    answer = await ask(client, body, headers={**READS, "x-context-mode": "observe"})
    assert provider.only.body == body
    assert answer.number("added-tokens") == 0
