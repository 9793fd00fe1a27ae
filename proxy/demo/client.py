"""Plays a session against a base URL as an agent would: the whole history each time, every other answer streamed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientResponse, ClientSession

from proxy.demo.answers import assembled
from proxy.demo.session import Message, Session, requests
from proxy.demo.upstream import HEADER, Expected, ScriptedUpstream


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer. `body` is what was sent; `context` the `x-context-*` headers of the answer.

    `fault` says what was wrong with the answer: an error status, a broken stream, words that are not the script's.
    """

    name: str
    body: Mapping[str, Any]
    status: int
    context: Mapping[str, str]
    usage: Mapping[str, Any] | None
    fault: str | None


async def play(
    session: Session, model: str, base_url: str, upstream: ScriptedUpstream, http: ClientSession
) -> AsyncIterator[Exchange]:
    """Send every request of the session, in order; a refused one does not end it, for the script goes on."""
    for number, (body, step) in enumerate(zip(requests(session, model), session.steps, strict=True), start=1):
        if number % 2 == 0:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        name = f"{session.name}@{model}/{number}"
        sent = json.dumps(body, ensure_ascii=False).encode()
        quotes = tuple(item.line for item in session.evidence if item.needed == number - 1)
        upstream.expect(name, Expected(sent, step.answer, quotes))
        headers = {
            "authorization": "Bearer demo",
            "content-type": "application/json",
            "x-context-session": f"demo-{session.name}-{model}",
            HEADER: name,
        }
        async with http.post(f"{base_url}/chat/completions", data=sent, headers=headers) as response:
            yield await _exchange(name, body, response, step.answer)


async def _exchange(name: str, body: Mapping[str, Any], response: ClientResponse, scripted: Message) -> Exchange:
    text = await response.text()
    context = {key.lower(): value for key, value in response.headers.items() if key.lower().startswith("x-context-")}
    usage, fault = None, None
    if response.status != 200:
        fault = f"status {response.status}: {text[:400]}"
    else:
        try:
            answer, usage = _answer(response.content_type, text)
        except (ValueError, LookupError) as error:
            fault = f"the answer cannot be read: {error}"
        else:
            fault = None if answer == scripted else "the answer is not the one that the upstream gave"
    return Exchange(name, body, response.status, context, usage, fault)


def _answer(content_type: str, text: str) -> tuple[Message, Mapping[str, Any] | None]:
    if content_type == "text/event-stream":
        return assembled(line[len("data:") :].strip() for line in text.splitlines() if line.startswith("data:"))
    body = json.loads(text)
    message: Message = body["choices"][0]["message"]
    return message, body.get("usage")
