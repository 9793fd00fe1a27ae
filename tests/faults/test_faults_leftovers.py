"""After a crowd of requests, half of them cut short, nothing is left of them: no task, no descriptor, no body."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections import Counter
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from aiohttp import ClientResponse

from proxy.app import Running, running
from proxy.http import keys
from tests.faults.bench import MODEL, PATIENCE, Bench, an_agent, model, session, settings, until
from tests.scripted_upstream import Hang, Json, Recorded, Reply, ScriptedUpstream, Stream, chat_completion, chunk

REQUESTS, SESSIONS = 200, 20
CONNECTION = "RequestHandler.start"
"""The task of a connection at its server's end. Both ends are in this process."""
POOL = 10
"""Connections to the state store that stay open, once there was need of them."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors in /proc")


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def tasks() -> Counter[str]:
    """The tasks of this loop by what they run; this test's own is among them."""
    return Counter(str(getattr(task.get_coro(), "__qualname__", "")) for task in asyncio.all_tasks())


def sometimes_hanging(request: Recorded) -> Reply:
    """Answers, or hangs before the first byte or after the first event, as the request's own header says."""
    match request.headers.get("x-test"):
        case "hang":
            return Hang()
        case "hang in the stream":
            return Stream([chunk({"content": "so far"}), asyncio.Event()])
        case "fail":
            return Json(b"busy", 503)
    return chat_completion(request)


KINDS = ["whole", "stream", "leave at once", "leave in silence", "leave in the stream", "leave after some", "fail"]


async def one(at: Bench, number: int, kind: str) -> None:
    """One request of the crowd; every kind of leaving is the client's own doing."""
    body = json.loads(session()[number % len(session())])
    headers = {"x-context-session": f"s{number % SESSIONS}"}
    streams = kind in {"stream", "leave in the stream", "leave after some"}
    if streams:
        body["stream"] = True
    if kind in {"leave in silence", "leave in the stream", "fail"}:
        headers["x-test"] = {"leave in silence": "hang", "fail": "fail"}.get(kind, "hang in the stream")
    call = at.http.post(f"{at.proxy.url}/v1/chat/completions", json=body, headers=headers)
    if kind in {"leave at once", "leave in silence"}:
        asked = asyncio.ensure_future(_read(call))
        await asyncio.sleep(0 if kind == "leave at once" else random.uniform(0.05, 0.3))
        asked.cancel()
        await asyncio.wait({asked})
        return
    async with call as response:
        assert response.status == (503 if kind == "fail" else 200)
        if kind.startswith("leave"):
            await response.content.readany()
            response.close()
        else:
            await response.read()


async def _read(call: AbstractAsyncContextManager[ClientResponse]) -> None:
    async with call as response:
        await response.read()


async def crowd(proxy: Running, provider: ScriptedUpstream) -> None:
    kinds = [KINDS[number % len(KINDS)] for number in range(REQUESTS)]
    random.Random(4).shuffle(kinds)
    async with an_agent() as http:
        at = Bench(proxy, provider, http)
        await asyncio.gather(*(one(at, number, kind) for number, kind in enumerate(kinds)))


async def quiet(proxy: Running, provider: ScriptedUpstream) -> tuple[int, Counter[str]]:
    """Wait until nothing is left to do. Descriptors and tasks then, without those of connections kept for later."""
    app = proxy.app
    await until(lambda: app[keys.BODIES].held == 0, "bodies in flight are given back")
    await until(lambda: provider.aborts >= hung(provider), "every call that a client left is ended")
    await app[keys.BACKGROUND].drain(PATIENCE)
    await until(lambda: not {"record", "_kept"} & set(tasks()), "what is to be recorded and kept is")
    found = tasks()
    return descriptors() - 2 * found.pop(CONNECTION), found


def hung(provider: ScriptedUpstream) -> int:
    """Requests that the provider would never have finished by itself."""
    return sum(request.headers.get("x-test", "").startswith("hang") for request in provider.requests)


async def test_a_crowd_leaves_nothing_behind(tmp_path: Path) -> None:
    async with ScriptedUpstream() as provider:
        provider.default = sometimes_hanging
        async with running(settings(tmp_path, model(provider.url))) as proxy:
            await crowd(proxy, provider)
            descriptors_then, tasks_then = await quiet(proxy, provider)
            await crowd(proxy, provider)
            descriptors_now, tasks_now = await quiet(proxy, provider)
            async with an_agent() as http:
                assert await Bench(proxy, provider, http).metric("forebay_requests_in_flight", model=MODEL) == 0
    assert tasks_now == tasks_then
    assert abs(descriptors_now - descriptors_then) <= POOL
    assert hung(provider) > REQUESTS // len(KINDS)
