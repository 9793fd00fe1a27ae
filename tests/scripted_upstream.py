"""A fake provider over real HTTP, which does what a test tells it.

    async with ScriptedUpstream() as upstream:
        upstream.reply(error(429, {"error": ...}, headers={"retry-after": "7"}))
        ... # call upstream.url
        assert upstream.requests[0].json["model"] == "m"

Replies queue up and are used once each; after them comes `upstream.default`, a chat completion that echoes the
last user message, streamed if the request asks for it. A reply may also be a function of the request.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web
from multidict import CIMultiDictProxy

DONE = b"data: [DONE]\n\n"

Item = dict[str, Any] | bytes | asyncio.Event


@dataclass(frozen=True)
class Recorded:
    """A request as it arrived."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: CIMultiDictProxy[str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Json:
    """A whole answer; a `dict` or list body is sent as JSON, bytes as they are."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def error(status: int, body: Any = None, headers: Mapping[str, str] | None = None) -> Json:
    """A provider's error, in OpenAI's shape unless `body` says otherwise."""
    text = {"error": {"message": f"scripted {status}", "type": "scripted", "param": None, "code": None}}
    return Json(text if body is None else body, status, headers or {})


@dataclass(frozen=True)
class Stream:
    """An event stream. A `dict` item is sent as one event, bytes as they are, each in a chunk of its own;
    an `asyncio.Event` is a gate at which the stream waits. After the last item the answer ends in order, or,
    with `reset`, the connection is cut."""

    items: Sequence[Item]
    headers: Mapping[str, str] = field(default_factory=dict)
    reset: bool = False
    content_type: str = "text/event-stream"


@dataclass(frozen=True)
class Hang:
    """No answer until the client leaves or the server stops."""


@dataclass(frozen=True)
class Reset:
    """The connection is cut before the first byte."""


Reply = Json | Stream | Hang | Reset
Responder = Callable[[Recorded], Reply]


class ScriptedUpstream:
    """The server. `url` is an OpenAI base URL, `origin` the address without the `/v1`."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.connections = 0
        self.aborts = 0
        self.aborted = asyncio.Event()
        self.default: Responder = chat_completion
        self._arrived = asyncio.Condition()
        self._replies: deque[Reply | Responder] = deque()
        self._stopping = asyncio.Event()
        self._seen: set[int] = set()
        self._runner: web.AppRunner | None = None
        self.origin = ""

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"

    def reply(self, *replies: Reply | Responder) -> None:
        """Queue what the next requests get."""
        self._replies.extend(replies)

    async def arrived(self, count: int = 1) -> None:
        """Wait until this many requests have arrived."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)

    async def start(self) -> Self:
        app = web.Application(client_max_size=256 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.origin = "http://{}:{}".format(*self._runner.addresses[0][:2])
        return self

    async def stop(self) -> None:
        self._stopping.set()
        if self._runner:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self._count_connection(request)
        recorded = Recorded(request.method, request.path, dict(request.query), request.headers, await request.read())
        async with self._arrived:
            self.requests.append(recorded)
            self._arrived.notify_all()
        reply = self._replies.popleft() if self._replies else self.default
        try:
            return await self._answer(request, reply(recorded) if callable(reply) else reply)
        except (asyncio.CancelledError, ConnectionError):
            if not self._stopping.is_set():
                self.aborts += 1
                self.aborted.set()
            raise

    def _count_connection(self, request: web.Request) -> None:
        if id(request.protocol) not in self._seen:
            self._seen.add(id(request.protocol))
            self.connections += 1

    async def _answer(self, request: web.Request, reply: Reply) -> web.StreamResponse:
        match reply:
            case Json(body, status, headers):
                raw = isinstance(body, bytes)
                response = web.Response(body=body if raw else json.dumps(body).encode(), status=status)
                response.headers.update({"content-type": "application/json", **headers})
                return response
            case Stream():
                return await self._stream(request, reply)
            case Hang():
                await self._stopping.wait()
            case Reset():
                _cut(request)
        return web.Response()

    async def _stream(self, request: web.Request, reply: Stream) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": reply.content_type, **reply.headers})
        await response.prepare(request)
        for item in reply.items:
            match item:
                case asyncio.Event():
                    await self._gate(item)
                case bytes():
                    await response.write(item)
                case _:
                    await response.write(event(item))
        if reply.reset:
            _cut(request)
        return response

    async def _gate(self, gate: asyncio.Event) -> None:
        waits = [asyncio.ensure_future(each.wait()) for each in (gate, self._stopping)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def event(data: dict[str, Any]) -> bytes:
    """One event of a stream."""
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def chunk(delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk of a streamed chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **more,
    }


def usage_chunk(usage: dict[str, Any]) -> dict[str, Any]:
    """The chunk in which a stream states its usage."""
    return {**chunk({}), "choices": [], "usage": usage}


def completion(message: dict[str, Any], finish_reason: str = "stop", **more: Any) -> dict[str, Any]:
    """A whole chat completion around one assistant message."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], **more}


def chat_completion(request: Recorded) -> Reply:
    """The default: the last user message comes back, with a usage of about four bytes to a token."""
    if not request.path.endswith("/chat/completions"):
        return Json({"object": "echo", "path": request.path})
    body = request.json
    text = _last_user_text(body.get("messages", []))
    sent, answered = len(request.body) // 4, len(text) // 4 + 1
    usage = {"prompt_tokens": sent, "completion_tokens": answered, "total_tokens": sent + answered}
    if not body.get("stream"):
        return Json(completion({"content": text}, usage=usage))
    items: list[Item] = [chunk({"role": "assistant", "content": ""})]
    items += [chunk({"content": text[start : start + 8]}) for start in range(0, len(text), 8)]
    items.append(chunk({}, "stop"))
    if (body.get("stream_options") or {}).get("include_usage"):
        items.append(usage_chunk(usage))
    return Stream([*items, DONE])


def _last_user_text(messages: list[dict[str, Any]]) -> str:
    content = next((each.get("content") for each in reversed(messages) if each.get("role") == "user"), "")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def _cut(request: web.Request) -> None:
    if request.transport:
        request.transport.abort()
