"""Through LiteLLM: the transport for providers that speak another language than OpenAI's.

LiteLLM translates, and nothing else: no retries, no callbacks, no cache, no redirects, no steering by the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from proxy.errors import NotFound
from proxy.upstream import Answer, UpstreamCall, Usage
from proxy.upstream.failures import redirected, silent, truncated
from proxy.upstream.headers import downward
from proxy.upstream.library import Seen, close_session, load, open_session, seen
from proxy.upstream.redaction import Redactor
from proxy.upstream.retries import pause, turned_away
from proxy.upstream.sdk_errors import LIBRARY_ERRORS, before_first_byte, never_sent, within_stream
from proxy.upstream.sdk_render import DONE, completion, event
from proxy.upstream.sdk_request import arguments, is_native, wants_usage
from proxy.upstream.usage import normalise


@dataclass
class WholeAnswer:
    """An answer that came in one piece: a completion, or the provider's own error."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    usage: Usage | None = None
    is_event_stream: bool = False

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body."""
        yield self.body


class StreamedAnswer:
    """A stream, rendered chunk by chunk; its first one is here already."""

    status = 200
    is_event_stream = True

    def __init__(self, call: UpstreamCall, stream: AsyncIterator[Any], headers: Mapping[str, str]) -> None:
        self.headers = {**headers, "content-type": "text/event-stream"}
        self.usage: Usage | None = None
        self._call = call
        self._stream = stream
        self._keep_usage = wants_usage(call)
        self._finished = False
        self._first = b""

    async def begin(self) -> None:
        """Wait for the first event. Raises what LiteLLM raises."""
        self._first = await self._next()

    async def chunks(self) -> AsyncIterator[bytes]:
        """The events. Raises UpstreamError where the stream breaks off, after what came."""
        idle = self._call.route.timeouts.idle
        rendered = self._first
        while rendered:
            yield rendered
            try:
                async with asyncio.timeout(idle):
                    rendered = await self._next()
            except TimeoutError:
                raise silent(self._call, "idle_seconds", idle) from None
            except LIBRARY_ERRORS as error:
                raise within_stream(self._call, error) from error
        if not self._finished:
            raise truncated(self._call)
        yield DONE

    async def _next(self) -> bytes:
        """The next event that has something to say; empty at the end."""
        async for chunk in self._stream:
            data = chunk.model_dump(exclude_none=True)
            self.usage = normalise(data.get("usage") or {}) or self.usage
            self._finished |= any(choice.get("finish_reason") for choice in data.get("choices", []))
            rendered = event(data, self._keep_usage)
            if rendered:
                return rendered
        return b""


class Sdk:
    """Calls through LiteLLM. Constructing it imports LiteLLM, which takes seconds; `close()` ends its connections."""

    def __init__(self) -> None:
        self._litellm = load()
        self._session = open_session()

    async def warm_up(self) -> None:
        """Pay for what LiteLLM puts off to its first answer (half a second on the loop) before anybody waits."""
        scripted = {
            "model": "openai/warm-up",
            "messages": [{"role": "user", "content": "warm"}],
            "mock_response": "warm",
        }
        await self._litellm.acompletion(**scripted)
        async for _ in await self._litellm.acompletion(**scripted, stream=True):
            pass

    async def close(self) -> None:
        """Close every connection."""
        await close_session(self._session)

    @asynccontextmanager
    async def open(self, call: UpstreamCall) -> AsyncIterator[Answer]:
        """Open a call; leaving closes its connection."""
        if call.path != "chat/completions":
            raise NotFound(f"model {call.route.name!r} is reached through LiteLLM, which serves chat completions only")
        noted = Seen()
        seen.set(noted)
        try:
            yield await self._begin(call, noted)
        finally:
            if noted.response is not None:
                await noted.response.aclose()
                noted.response = None

    async def _begin(self, call: UpstreamCall, noted: Seen) -> Answer:
        seconds = call.route.timeouts.first_byte
        try:
            async with asyncio.timeout(seconds):
                for attempt in range(call.route.retries):
                    try:
                        answer = await self._ask(call, noted)
                    except LIBRARY_ERRORS as error:
                        if not never_sent(error):
                            raise
                        await asyncio.sleep(pause(attempt, {}))
                        continue
                    if not turned_away(answer.status):
                        return answer
                    await asyncio.sleep(pause(attempt, answer.headers))
                return await self._ask(call, noted)
        except TimeoutError:
            raise silent(call, "first_byte_seconds", seconds) from None
        except LIBRARY_ERRORS as error:
            raise before_first_byte(call, error, answered=noted.response is not None) from error

    async def _ask(self, call: UpstreamCall, noted: Seen) -> Answer:
        noted.response = None
        try:
            result = await self._litellm.acompletion(**arguments(self._litellm, call))
            headers = noted.headers()
            if call.stream:
                answer = StreamedAnswer(call, result, headers)
                await answer.begin()
                return answer
        except LIBRARY_ERRORS:
            refused = noted.refusal()
            if refused is None:
                raise
            if refused.status_code < 400:
                raise redirected(call, refused.status_code) from None
            redactor = Redactor(call.route)
            headers = redactor.headers(downward(refused.headers))
            return WholeAnswer(refused.status_code, headers, redactor.whole(refused.content))
        data = result.model_dump(exclude_none=True)
        body = completion(data, is_native(self._litellm, call))
        return WholeAnswer(
            200, {**headers, "content-type": "application/json"}, body, normalise(data.get("usage") or {})
        )
