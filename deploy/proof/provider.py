"""A provider that does what the demo's does not: it fails, dawdles, reads back, and writes summaries."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from deploy.proof.settings import FAILING, READER, SLOW, SUMMARISER
from proxy.demo.answers import completion
from proxy.demo.session import Message

_LOCATOR = re.compile(r"art_[a-z2-7]{12}")
_CALL = "call_back"
_SUMMARY = "The agent read files of the review one by one, noted a finding for each, and found no test that fails."


@asynccontextmanager
async def provider() -> AsyncIterator[str]:
    """Listen on a free port of loopback; gives the base URL, with `/v1`."""
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_post("/v1/chat/completions", _complete)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


async def _complete(request: web.Request) -> web.Response:
    body = await request.json()
    match body["model"]:
        case model if model == FAILING:
            return web.json_response({"error": {"message": "scripted failure", "type": "server_error"}}, status=500)
        case model if model == SLOW:
            await asyncio.sleep(0.5)
            return _answer(body, {"role": "assistant", "content": "At last."})
        case model if model == SUMMARISER:
            return _answer(body, {"role": "assistant", "content": _SUMMARY})
        case model if model == READER:
            return _answer(body, _reading(body["messages"]))
    return web.json_response({"error": {"message": "no such model", "type": "invalid_request_error"}}, status=404)


def _reading(messages: list[dict[str, Any]]) -> Message:
    """Read lines of the first original that is named, and a pattern in it; then be content."""
    rounds = sum(message.get("tool_call_id", "").startswith(_CALL) for message in messages)
    found = _LOCATOR.search(json.dumps(messages))
    asked = ({"lines": "20-22"}, {"grep": "ERROR"})
    if found is None or rounds >= len(asked):
        return {"role": "assistant", "content": "Read."}
    arguments = json.dumps({"locator": found[0], **asked[rounds]})
    call = {"name": "context_read", "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"{_CALL}_{rounds}", "type": "function", "function": call}],
    }


def _answer(body: dict[str, Any], message: Message) -> web.Response:
    prompt = len(json.dumps(body["messages"])) // 4
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": 20,
        "total_tokens": prompt + 20,
        "prompt_tokens_details": {"cached_tokens": prompt // 2},
    }
    return web.json_response(completion(body["model"], message, usage))
