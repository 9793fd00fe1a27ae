"""The scripted provider of the benchmarks: a fixed answer, or 200 chunks, as fast as it goes."""

from __future__ import annotations

import asyncio
import json
import sys

import uvloop
from aiohttp import web

CHUNKS = 200
_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
_CHOICE = {"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
ANSWER = json.dumps(
    {"id": "c1", "object": "chat.completion", "created": 0, "model": "m", "choices": [_CHOICE], "usage": _USAGE}
).encode()


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    event = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


STREAM = [*[_chunk({"content": "word "})] * (CHUNKS - 1), _chunk({}, "stop")]


async def complete(request: web.Request) -> web.StreamResponse:
    """Answer without looking at more than the end of the body."""
    body = await request.read()
    if b'"stream":true' not in body[-100:]:
        return web.Response(body=ANSWER, content_type="application/json")
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for chunk in STREAM:
        await response.write(chunk)
        await asyncio.sleep(0)
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


async def serve(app: web.Application) -> None:
    """Serve on a free port, printed, until the standard input closes."""
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(int(runner.addresses[0][1]), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


async def main() -> None:
    """The provider, served."""
    app = web.Application(client_max_size=1 << 30)
    app.router.add_post("/v1/chat/completions", complete)
    await serve(app)


if __name__ == "__main__":
    uvloop.run(main())
