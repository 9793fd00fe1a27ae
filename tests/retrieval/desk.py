"""What the tests of retrieval run: a model that follows a script, and a desk between it and a client.

The desk does what the proxy does around `Retrieving`, without an engine: it reads the request, puts recorded exchanges
back, adds the tool, and answers over HTTP.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from aiohttp import ClientSession, web

from policies.reducers.reducer import no_outline
from policies.schema import Policy, Retrieval
from proxy.demo.structure import violations
from proxy.errors import StoreError, UpstreamError
from proxy.retrieval.dialogue import Dialogue
from proxy.retrieval.exchanges import Exchanges
from proxy.retrieval.fingerprint import Place, history_of
from proxy.retrieval.loop import Retrieving
from proxy.retrieval.reading import Reads
from proxy.retrieval.restoring import restored
from proxy.retrieval.sources import Sources
from proxy.retrieval.tool import NAME, offers, with_tool
from proxy.upstream import Answer, Route, Upstream, UpstreamCall
from proxy.upstream.sse import Tail, error_event
from proxy.wire.envelope import slice_body
from proxy.wire.reader import Reader
from tests.build import locate
from tests.http.http_builders import FakeArtifacts
from tests.scripted_upstream import DONE, Item, Json, Recorded, Responder, Stream, chunk, completion, usage_chunk

LOCATOR = "art_abcdefgh2345"
NOWHERE = "art_nowhere22222"
LINES = "\n".join(f"line {number} of the log" for number in range(1, 501))
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}]
QUESTION: list[dict[str, Any]] = [
    {"role": "user", "content": f"What is in line 7? [Forebay: cleared; kept as {LOCATOR}]"}
]
ROUND_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
POLICY = Policy.model_construct(retrieval=Retrieval(enabled=True))


def words(text: str) -> int:
    """Tokens of a text: its words."""
    return len(text.split())


def tool_call(name: str, id: str, **arguments: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def reads(id: str = "call_r1", **arguments: Any) -> dict[str, Any]:
    """A call of our tool."""
    return tool_call("context_read", id, **(arguments or {"locator": LOCATOR, "lines": "7"}))


def weather(id: str = "call_w1", city: str = "Oslo") -> dict[str, Any]:
    """A call of the client's tool."""
    return tool_call("weather", id, city=city)


def says(
    text: str | None = None, *calls: dict[str, Any], finish: str | None = None, named: str = "chatcmpl-1", **more: Any
) -> Responder:
    """One answer of the model, in the form that the request asks for."""
    reason = finish or ("tool_calls" if calls else "stop")

    def reply(request: Recorded) -> Json | Stream:
        message = {"content": text, **more, **({"tool_calls": list(calls)} if calls else {})}
        if not request.json.get("stream"):
            return Json(completion(message, reason, usage=ROUND_USAGE, id=named))
        return Stream(streamed(text, calls, reason, id=named, **more))

    return reply


def streamed(text: str | None, calls: Sequence[dict[str, Any]], reason: str, **more: Any) -> list[Item]:
    """An answer in pieces, as OpenAI sends it."""
    fields = {name: more.pop(name) for name in list(more) if name == "reasoning_content"}
    items: list[Item] = [chunk({"role": "assistant", "content": "" if text else None, **fields}, **more)]
    items += [chunk({"content": piece}, **more) for piece in _pieces(text or "")]
    for index, call in enumerate(calls):
        function = call["function"]
        first = {**call, "index": index, "function": {**function, "arguments": ""}}
        items.append(chunk({"tool_calls": [first]}, **more))
        items += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}, **more)
            for piece in _pieces(function["arguments"])
        ]
    return [*items, chunk({}, reason, **more), usage_chunk(ROUND_USAGE), DONE]


def _pieces(text: str) -> list[str]:
    return [text[start : start + 6] for start in range(0, len(text), 6)]


class FakeRecords:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], bytes] = {}
        self.asked: list[str] = []
        self.down = False

    async def put(self, tenant: str, name: str, value: bytes) -> None:
        self._check()
        self.kept[tenant, name] = value

    async def get(self, tenant: str, names: Sequence[str]) -> list[bytes | None]:
        self._check()
        self.asked += names
        return [self.kept.get((tenant, name)) for name in names]

    def _check(self) -> None:
        if self.down:
            raise StoreError("the state store does not answer")


@dataclass
class Desk:
    """The place between client and model. `answers` are those that were given, `losses` counts what was reported."""

    upstream: Upstream
    route: Route
    records: FakeRecords = field(default_factory=FakeRecords)
    artifacts: FakeArtifacts = field(default_factory=FakeArtifacts)
    heartbeat_seconds: float = 60
    room: int | None = None
    max_rounds: int = 5
    page_tokens: int = 2_000
    losses: int = 0
    reads: list[tuple[str, str]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        self.reader = Reader(words)
        self.restart()

    def restart(self) -> None:
        """Another process: the same store, nothing in memory."""
        self.exchanges = Exchanges(self.records, self._lose)

    def _lose(self) -> None:
        self.losses += 1

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one completion."""
        envelope = slice_body(await request.read())
        upstream, body = self.upstream, envelope.body
        if offers(envelope, self.route, POLICY):
            read = self.reader.read(envelope)
            envelope = slice_body(restored(envelope, await self.exchanges.find("t", read)))
            body = with_tool(envelope)
            place = Place("t", history_of(read.messages), len(read.messages))
            upstream = Retrieving(upstream, self.exchanges, place, self.dialogue(body, read), self.heartbeat_seconds)
        call = UpstreamCall(self.route, body, request.headers, envelope.stream)
        try:
            async with upstream.open(call) as answer:
                self.answers.append(answer)
                return await _passed(request, answer)
        except UpstreamError as error:
            return web.json_response(error.body(), status=error.status)

    def dialogue(self, body: bytes, read: Any) -> Callable[[UpstreamCall], Dialogue]:
        """What makes the dialogue of a call."""
        sources = Sources("t", (), read.conversation, body, self.artifacts, locate)
        told = Reads(sources, words, self.page_tokens, no_outline, lambda by, result: self.reads.append((by, result)))
        return partial(
            Dialogue, answers={NAME: told}, count=words,
            page_tokens=self.page_tokens, max_rounds=self.max_rounds, room=self.room,
        )  # fmt: skip


async def _passed(request: web.Request, answer: Answer) -> web.StreamResponse:
    if not answer.is_event_stream:
        body = b"".join([part async for part in answer.chunks()])
        return web.Response(body=body, status=answer.status, headers=dict(answer.headers))
    response = web.StreamResponse(headers=dict(answer.headers))
    await response.prepare(request)
    tail = Tail(4)
    try:
        async for part in answer.chunks():
            await response.write(part)
            tail.add(part)
    except UpstreamError as error:
        await response.write(error_event(error, bytes(tail)))
    return response


@asynccontextmanager
async def opened(desk: Desk) -> AsyncIterator[ClientSession]:
    """The desk on a port of its own, and a client at it."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", desk.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    desk.url = "http://{}:{}".format(*runner.addresses[0][:2])
    async with ClientSession(desk.url) as client:
        yield client
    await runner.cleanup()


@dataclass(frozen=True)
class Got:
    """What a client made of an answer, streamed or not."""

    status: int
    body: bytes
    message: dict[str, Any]
    finish: str | None
    usage: dict[str, Any] | None


async def ask(client: ClientSession, messages: list[dict[str, Any]], stream: bool, **more: Any) -> Got:
    """A request with tools, and its answer put together as a simple client does it."""
    body = {"model": "m", "messages": messages, "tools": TOOLS, "stream": stream, **more}
    async with client.post("/v1/chat/completions", json=body) as response:
        said = await response.read()
        if stream and response.content_type == "text/event-stream":
            return _put_together(response.status, said)
        answer = json.loads(said)
        if response.status >= 300:
            return Got(response.status, said, {}, None, None)
        choice = answer["choices"][0]
        return Got(response.status, said, choice["message"], choice["finish_reason"], answer.get("usage"))


def events(body: bytes) -> list[dict[str, Any]]:
    """The JSON events of a stream."""
    data = [part.removeprefix(b"data: ") for part in body.split(b"\n\n")]
    return [json.loads(each) for each in data if each.startswith(b"{")]


def _put_together(status: int, body: bytes) -> Got:
    text, calls, finish, usage = "", {}, None, None  # type: ignore[var-annotated]
    for event in events(body):
        usage = event.get("usage") or usage
        for choice in event.get("choices", []):
            finish = choice["finish_reason"] or finish
            text += choice["delta"].get("content") or ""
            for piece in choice["delta"].get("tool_calls") or ():
                call = calls.setdefault(piece["index"], {"type": "function", "function": {"name": "", "arguments": ""}})
                call["id"] = piece.get("id") or call["id"]
                call["function"]["name"] += piece["function"].get("name") or ""
                call["function"]["arguments"] += piece["function"].get("arguments") or ""
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return Got(status, body, message, finish, usage)


def results(request: Recorded) -> dict[str, str]:
    """The tool results in a request, by the id of their call."""
    return {each["tool_call_id"]: each["content"] for each in request.json["messages"] if each["role"] == "tool"}


def faults(requests: Sequence[Recorded]) -> list[str]:
    """What a strict provider would refuse in any of these requests."""
    return [fault for request in requests for fault in violations(request.json)]
