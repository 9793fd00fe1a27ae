"""A bare aiohttp pass-through: reads the body, posts it on, copies the answer back. The limit of this stack."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import aiohttp
import uvloop
from aiohttp import web

from benchmarks.provider import serve

CLIENT = web.AppKey("client", aiohttp.ClientSession)
UPSTREAM = web.AppKey("upstream", str)


async def _client(app: web.Application) -> AsyncIterator[None]:
    timeout = aiohttp.ClientTimeout(total=None)
    app[CLIENT] = aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0))
    yield
    await app[CLIENT].close()


async def pass_on(request: web.Request) -> web.StreamResponse:
    """Post the body on, copy the answer back."""
    body = await request.read()
    headers = {"content-type": "application/json", "authorization": request.headers.get("authorization", "")}
    async with request.app[CLIENT].post(request.app[UPSTREAM], data=body, headers=headers) as answer:
        if answer.content_type != "text/event-stream":
            return web.Response(body=await answer.read(), content_type=answer.content_type)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        async for chunk in answer.content.iter_any():
            await response.write(chunk)
        await response.write_eof()
        return response


async def main(upstream: str) -> None:
    """The pass-through, served."""
    app = web.Application(client_max_size=1 << 30)
    app[UPSTREAM] = f"{upstream}/chat/completions"
    app.cleanup_ctx.append(_client)
    app.router.add_post("/v1/chat/completions", pass_on)
    await serve(app)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
