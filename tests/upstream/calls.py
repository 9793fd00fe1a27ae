"""Calls to make, and answers to read, in the tests of the upstreams."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proxy.upstream import Answer, Route, Upstream, UpstreamCall

KEY = "sk-operator-0123456789"


def call(
    route: Route, *, sent: Mapping[str, str] | None = None, path: str = "chat/completions", **body: Any
) -> UpstreamCall:
    """A call with a body of these fields; one user message unless they say otherwise. `sent`: the client's headers."""
    fields = {"model": route.model, "messages": [{"role": "user", "content": "good morning"}], **body}
    headers = {"content-type": "application/json", **(sent or {})}
    return UpstreamCall(route, json.dumps(fields).encode(), headers, stream=bool(body.get("stream")), path=path)


async def read(answer: Answer) -> bytes:
    """An answer's whole body."""
    return b"".join([chunk async for chunk in answer.chunks()])


async def read_into(body: bytearray, answer: Answer) -> None:
    """Like `read`, for an answer that breaks off: what came before stays in `body`."""
    async for chunk in answer.chunks():
        body += chunk


async def ask(upstream: Upstream, to: UpstreamCall) -> bytes:
    """Make a call and read the answer's body."""
    async with upstream.open(to) as answer:
        return await read(answer)


def events(body: bytes) -> list[dict[str, Any]]:
    """The JSON events of a stream, without the `[DONE]`."""
    data = [part.removeprefix(b"data: ") for part in body.split(b"\n\n")]
    return [json.loads(each) for each in data if each.startswith(b"{")]


def deltas(body: bytes) -> list[dict[str, Any]]:
    """The deltas of a stream of chat chunks."""
    return [choice["delta"] for event in events(body) for choice in event["choices"]]


def text(body: bytes) -> str:
    """The text of a streamed answer."""
    return "".join(delta.get("content") or "" for delta in deltas(body))
