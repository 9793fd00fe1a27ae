"""Large results are spilled on arrival, safely kept before the call, and read back by the model."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.app import Running
from proxy.artifacts.local import LocalArtifacts
from proxy.errors import StoreError
from tests.end_to_end.house import Provider, ask, chat, look
from tests.scripted_upstream import Json, Recorded, Reply, completion

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOOLS = [{"type": "function", "function": {"name": "run", "parameters": {"type": "object", "properties": {}}}}]
SPILLS = {"x-context-policy": "spills"}
ERROR = "ERROR disk /dev/sda7 is full"


def log_of(lines: int, salt: str) -> str:
    said = [f"2026-01-01T00:00:{n % 60:02} INFO {salt} moved crate {n} to berth {n % 17}" for n in range(lines)]
    said[lines // 2] = f"2026-01-01T00:00:30 {ERROR}"
    return "\n".join(said)


def asked(text: str) -> list[dict[str, Any]]:
    call = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    return [
        {"role": "user", "content": "Run it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": text},
    ]


async def test_a_large_log_arrives_as_a_preview_whose_original_is_kept(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    text = log_of(400, "kept")
    answer = await ask(client, chat("relay-32000", *asked(text), tools=TOOLS), headers=SPILLS)
    shown = provider.requests[-1].json["messages"][2]["content"]
    assert answer.number("spilled-results") == 1
    assert ERROR in shown
    assert len(shown) < len(text) / 4
    (locator,) = set(re.findall("art_[a-z2-7]{12}", shown))
    page = await look(client, f"/v1/context/artifacts/{locator}?start=1&end=1")
    assert page.json["text"].strip() == text.split("\n")[0]


async def test_what_cannot_be_kept_is_not_spilled(
    client: ClientSession, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> bool:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(LocalArtifacts, "put", broken)
    text = log_of(400, "lost")
    answer = await ask(client, chat("relay-32000", *asked(text), tools=TOOLS), headers=SPILLS)
    assert provider.requests[-1].json["messages"][2]["content"] == text
    assert answer.number("spilled-tokens") == 0
    assert answer.headers["x-context-degraded"] == "artifacts"


async def test_without_tools_there_is_no_way_back_and_nothing_is_spilled(
    client: ClientSession, provider: Provider
) -> None:
    text = log_of(400, "plain")
    await ask(client, chat("relay-32000", *asked(text)), headers=SPILLS)
    assert provider.requests[-1].json["messages"][2]["content"] == text


async def test_the_model_reads_a_spilled_result_and_that_is_never_spilled_again(
    client: ClientSession, provider: Provider
) -> None:
    text = log_of(400, "read")

    def curious(request: Recorded) -> Reply:
        last = request.json["messages"][-1]
        if last["tool_call_id"] == "call_back":
            return Json(completion({"content": last["content"]}))
        (locator,) = set(re.findall("art_[a-z2-7]{12}", last["content"]))
        function = {"name": "context_read", "arguments": json.dumps({"locator": locator, "lines": "20-22"})}
        call = {"id": "call_back", "type": "function", "function": function}
        return Json(completion({"content": None, "tool_calls": [call]}, "tool_calls"))

    provider.reply(curious, curious)
    answer = await ask(client, chat("relay-32000", *asked(text), tools=TOOLS), headers=SPILLS)
    told = answer.json["choices"][0]["message"]["content"]
    assert all(line in told for line in text.split("\n")[19:22])
