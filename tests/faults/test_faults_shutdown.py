"""The proxy is told to end while requests are under way: each is finished, or is told why it is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from aiohttp import ClientResponse, ClientSession

from proxy.app import running
from tests.faults.bench import MODEL, NO_STORE, PATIENCE, an_agent, model, settings
from tests.scripted_upstream import DONE, Hang, ScriptedUpstream, Stream, chunk

GRACE = 0.3
FIRST = chunk({"role": "assistant", "content": "one"})


class House:
    """A proxy that the test ends while its agent still reads."""

    def __init__(self, provider: ScriptedUpstream, http: ClientSession, folder: Path) -> None:
        self.provider = provider
        self.http = http
        self.folder = folder
        self.stack = AsyncExitStack()

    async def start(self, transport: str = "relay", grace: float = GRACE) -> None:
        known = model(self.provider.url, transport=transport)
        configured = settings(self.folder, known, state_url=NO_STORE, grace=grace)
        self.url = (await self.stack.enter_async_context(running(configured))).url

    async def end(self) -> None:
        await self.stack.aclose()

    async def ask(self, path: str = "chat/completions", stream: bool = True) -> ClientResponse:
        body = {"model": MODEL, "stream": stream, "messages": [{"role": "user", "content": "hi"}], "prompt": "hi"}
        return await self.http.post(f"{self.url}/v1/{path}", json=body)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with ScriptedUpstream() as provider, an_agent() as http:
        made = House(provider, http, tmp_path)
        yield made
        await made.end()


def last_event(body: bytes) -> dict[str, object]:
    """The error in the last event of a stream, which must be whole."""
    assert body.endswith(b"\n\n")
    event = body.removesuffix(b"\n\n").split(b"\n\n")[-1]
    error: dict[str, object] = json.loads(event.removeprefix(b"data: "))["error"]
    return error


@pytest.mark.parametrize("transport", ["relay", "litellm"])
async def test_a_stream_longer_than_the_grace_ends_with_an_error_event(house: House, transport: str) -> None:
    await house.start(transport)
    house.provider.reply(Stream([FIRST, asyncio.Event()]))
    answer = await house.ask()
    begun = await answer.content.readany()
    rest = asyncio.create_task(answer.read())
    await house.end()
    body = begun + await rest
    assert b'"one"' in body
    assert last_event(body)["code"] == "overloaded"
    assert "shutting down" in str(last_event(body)["message"])
    assert b"[DONE]" not in body


async def test_a_stream_that_stops_within_an_event_ends_with_an_event_of_its_own(house: House) -> None:
    await house.start()
    house.provider.reply(Stream([b'data: {"half', asyncio.Event()]))
    answer = await house.ask()
    begun = await answer.content.readany()
    rest = asyncio.create_task(answer.read())
    await house.end()
    assert last_event(begun + await rest)["code"] == "overloaded"


async def test_a_relayed_stream_ends_with_an_error_event_too(house: House) -> None:
    await house.start()
    house.provider.reply(Stream([FIRST, asyncio.Event()]))
    answer = await house.ask("completions")
    begun = await answer.content.readany()
    rest = asyncio.create_task(answer.read())
    await house.end()
    assert last_event(begun + await rest)["code"] == "overloaded"


@pytest.mark.parametrize("transport", ["relay", "litellm"])
async def test_an_answer_of_one_piece_that_is_not_there_in_time_is_503(house: House, transport: str) -> None:
    await house.start(transport)
    house.provider.reply(Hang())
    asking = asyncio.create_task(house.ask(stream=False))
    await house.provider.arrived()
    await house.end()
    answer = await asking
    assert (answer.status, (await answer.json())["error"]["code"]) == (503, "overloaded")


async def test_a_stream_that_ends_within_the_grace_is_whole(house: House) -> None:
    await house.start(grace=PATIENCE)
    gate = asyncio.Event()
    house.provider.reply(Stream([FIRST, gate, chunk({}, "stop"), DONE]))
    answer = await house.ask()
    begun = await answer.content.readany()
    rest = asyncio.create_task(answer.read())
    ending = asyncio.create_task(house.end())
    await asyncio.sleep(0)
    gate.set()
    body = begun + await rest
    await asyncio.wait_for(ending, PATIENCE / 2)
    assert body.endswith(DONE)
    assert b"error" not in body


async def test_the_grace_is_waited_for_once(house: House) -> None:
    await house.start(grace=4)
    house.provider.reply(Hang())
    asking = asyncio.create_task(house.ask(stream=False))
    await house.provider.arrived()
    async with asyncio.timeout(7):  # twice the grace would be 8
        await house.end()
    await asking
