"""Short sessions, bodies and a pass-through proxy for the tests of the demo."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import ClientSession, web

from proxy.demo.session import Call, Script, Session, tool

READ = tool("read", "Read a file.", "path", path={"type": "string"})

Edit = Callable[[dict[str, Any]], dict[str, Any]]


def a_session(steps: int = 3) -> Session:
    """`steps` requests; each but the last reads a file whose text counts 600 words."""
    script = Script("short", "You read files.", "Read them all.", [READ])
    for number in range(steps - 1):
        text = " ".join(f"word{number}x{i}" for i in range(600))
        script.act(f"Reading file {number}.", Call("read", {"path": f"file{number}.txt"}, text))
    script.say("All files read.")
    return script.finish()


def words(text: str) -> int:
    """A tokenizer that needs no vocabulary."""
    return len(text.split())


def assistant(*ids: str, arguments: str = "{}") -> dict[str, Any]:
    calls = [{"id": i, "type": "function", "function": {"name": "read", "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(id_: str, text: str = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def system(text: str = "be brief") -> dict[str, Any]:
    return {"role": "system", "content": text}


def a_body(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages)}


@asynccontextmanager
async def passing_proxy(upstream_url: str, edit: Edit | None = None) -> AsyncIterator[str]:
    """A proxy that forwards bytes, or what `edit` makes of the body; gives its base URL, `/metrics` beside it."""

    async def complete(request: web.Request) -> web.Response:
        raw = await request.read()
        if edit:
            raw = json.dumps(edit(json.loads(raw))).encode()
        headers = {key: value for key, value in request.headers.items() if key.startswith("x-demo")}
        async with http.post(f"{upstream_url}/chat/completions", data=raw, headers=headers) as answer:
            kept = {"content-type": answer.headers["content-type"], **extra}
            return web.Response(body=await answer.read(), status=answer.status, headers=kept)

    async def metrics(request: web.Request) -> web.Response:
        return web.Response(text='# HELP x\nforebay_requests_total{model="m"} 3.0\n')

    extra = {"x-context-batches": "0"}
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", complete)
    app.router.add_get("/metrics", metrics)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    async with ClientSession() as http:
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        finally:
            await runner.cleanup()
