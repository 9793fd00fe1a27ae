"""The scripted upstream: a provider on loopback that judges each request, bills it and answers from a script.

The client of the demo registers what it is about to send (`expect`) and names that entry in a header, which
the proxy passes on like any other. What the upstream says of a request it takes from the HTTP request itself;
the entry only tells it what the client had sent and what to answer. A request without the header, as from an
agent that was pointed at `forebay demo --keep`, is judged and billed alike, and told the figures.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from proxy.demo.answers import chunks, completion
from proxy.demo.prompt_cache import Prompt, PromptCache, PromptCounter, prompt_text
from proxy.demo.session import Message
from proxy.demo.structure import changed_by_the_way, violations
from proxy.retrieval.tool import without_tool

HEADER = "x-demo-request"
_LARGEST_BODY = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Expected:
    """A request on its way: its bytes as the client sent them, the answer, error lines that the answer quotes."""

    sent: bytes
    answer: Message
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What arrived: its weight, its faults, whether it is the client's bytes but for a tool of the proxy's, and which
    quoted lines it held."""

    prompt: Prompt
    output_tokens: int
    faults: tuple[str, ...]
    identical: bool
    quotes_held: tuple[str, ...]


class ScriptedUpstream:
    """Answers expected requests; `seen` holds what it saw of each, by its name."""

    def __init__(self, counter: PromptCounter) -> None:
        self.counter = counter
        self._cache = PromptCache()
        self._expected: dict[str, Expected] = {}
        self.seen: dict[str, Seen] = {}

    def expect(self, name: str, expected: Expected) -> None:
        """Announce a request that will carry `name` in its header."""
        self._expected[name] = expected

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[str]:
        """Listen on a free port of loopback; gives the base URL, with `/v1`."""
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.router.add_post("/v1/chat/completions", self._complete)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        finally:
            await runner.cleanup()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        try:
            body = json.loads(raw)
        except ValueError as error:
            return _refusal((f"the body is no JSON: {error}",))
        name = request.headers.get(HEADER)
        expected = self._expected.get(name) if name else None
        if name and expected is None:
            return _refusal((f"{HEADER} names {name!r}, which no client announced",))
        seen = self._judge(raw, body, expected)
        if name:
            self.seen[name] = seen
        if seen.faults:
            return _refusal(seen.faults)
        answer = expected.answer if expected else _figures(seen, body)
        usage = _usage(seen)
        if not body.get("stream"):
            return web.json_response(completion(body["model"], answer, usage))
        return await _stream(request, body, answer, usage)

    def _judge(self, raw: bytes, body: Any, expected: Expected | None) -> Seen:
        faults = violations(body) if isinstance(body, dict) else ("the body is not an object",)
        if faults:
            return Seen(Prompt(0, 0), 0, faults, identical=False, quotes_held=())
        if expected:
            faults = changed_by_the_way(body, json.loads(expected.sent))
        texts = [prompt_text(message) for message in body["messages"]]
        quotes = expected.quotes if expected else ()
        return Seen(
            self._cache.serve(body.get("model", ""), self.counter.segments(body)),
            self.counter.text(prompt_text(expected.answer)) if expected else 0,
            faults,
            identical=expected is not None and without_tool(raw) == expected.sent,
            quotes_held=tuple(line for line in quotes if any(line in text for text in texts)),
        )


def _refusal(faults: tuple[str, ...]) -> web.Response:
    error = {"message": "; ".join(faults), "type": "invalid_request_error", "param": "messages", "code": None}
    return web.json_response({"error": error}, status=400)


def _figures(seen: Seen, body: dict[str, Any]) -> Message:
    text = (
        f"This is the scripted upstream of `forebay demo`. It received {len(body['messages'])} messages with "
        f"{seen.prompt.tokens} tokens, {seen.prompt.cached} of them from its simulated prompt cache; "
        "their structure is valid."
    )
    return {"role": "assistant", "content": text}


def _usage(seen: Seen) -> dict[str, Any]:
    return {
        "prompt_tokens": seen.prompt.tokens,
        "completion_tokens": seen.output_tokens,
        "total_tokens": seen.prompt.tokens + seen.output_tokens,
        "prompt_tokens_details": {"cached_tokens": seen.prompt.cached},
    }


async def _stream(
    request: web.Request, body: dict[str, Any], answer: Message, usage: dict[str, Any]
) -> web.StreamResponse:
    asked = bool((body.get("stream_options") or {}).get("include_usage"))
    response = web.StreamResponse(headers={"content-type": "text/event-stream", "cache-control": "no-cache"})
    await response.prepare(request)
    for chunk in chunks(body["model"], answer, usage if asked else None):
        await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response
