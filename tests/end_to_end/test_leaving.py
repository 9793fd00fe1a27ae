"""A client that leaves takes its upstream call with it, within a second, whatever it was waiting for."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import ClientSession

from proxy.app import Running
from tests.end_to_end.house import Provider, Transport, ask, chat
from tests.scripted_upstream import Hang, Stream, chunk

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECONDS = 1.0


async def test_while_a_whole_answer_is_awaited(client: ClientSession, provider: Provider, transport: Transport) -> None:
    provider.reply(Hang())
    asking = asyncio.create_task(ask(client, chat(f"{transport}-32000")))
    await provider.arrived()
    await _leave(asking)
    await asyncio.wait_for(provider.aborted.wait(), SECONDS)


async def test_while_a_streams_headers_are_awaited(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    provider.reply(Hang())
    asking = asyncio.create_task(ask(client, chat(f"{transport}-32000", stream=True)))
    await provider.arrived()
    await _leave(asking)
    await asyncio.wait_for(provider.aborted.wait(), SECONDS)


async def test_while_a_streams_first_chunk_is_awaited(
    client: ClientSession, provider: Provider, transport: Transport
) -> None:
    provider.reply(Stream([asyncio.Event()]))
    asking = asyncio.create_task(ask(client, chat(f"{transport}-32000", stream=True)))
    await provider.arrived()
    await _leave(asking)
    await asyncio.wait_for(provider.aborted.wait(), SECONDS)


async def test_in_the_middle_of_a_stream(client: ClientSession, provider: Provider, transport: Transport) -> None:
    provider.reply(Stream([chunk({"role": "assistant", "content": "one"}), asyncio.Event()]))
    async with client.post("/v1/chat/completions", json=chat(f"{transport}-32000", stream=True)) as answer:
        assert b"one" in await answer.content.readany()
        answer.close()
        await asyncio.wait_for(provider.aborted.wait(), SECONDS)


async def test_nobody_is_left_in_flight(
    proxy: Running, client: ClientSession, provider: Provider, transport: Transport
) -> None:
    model = f"{transport}-32000"
    provider.reply(Hang())
    asking = asyncio.create_task(ask(client, chat(model)))
    await provider.arrived()
    assert await _in_flight(proxy, client, model) == 1
    await _leave(asking)
    await asyncio.wait_for(provider.aborted.wait(), SECONDS)
    assert await _in_flight(proxy, client, model) == 0


async def _leave(asking: asyncio.Task[object]) -> None:
    """Cancelling an aiohttp call closes its connection."""
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def _in_flight(proxy: Running, client: ClientSession, model: str) -> float:
    async with client.get(f"{proxy.admin_url}/metrics") as answer:
        lines = (await answer.text()).splitlines()
    name = f'forebay_requests_in_flight{{model="{model}"}} '
    return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))
