"""Bytes in, bytes out: the transport for providers that speak OpenAI's format themselves.

A body is never parsed on its way and no line is ever waited for. Time is watched here and not by aiohttp, whose
one read time-out knows no difference between a model that thinks and a stream that died.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import aiohttp
from yarl import URL

from proxy.errors import NotFound
from proxy.upstream import Answer, UpstreamCall, Usage
from proxy.upstream.connections import Connections
from proxy.upstream.failures import broke_off, redirected, silent, truncated, unreachable
from proxy.upstream.headers import downward, upward
from proxy.upstream.redaction import Redactor
from proxy.upstream.retries import pause, turned_away
from proxy.upstream.sse import Tail, is_complete
from proxy.upstream.usage import usage_of

_STREAM_TAIL = 16 * 1024
_BODY_TAIL = 4 * 1024 * 1024
_COMPLETIONS = frozenset({"chat/completions", "completions"})
_PATH = re.compile(r"[a-z_]+(/[a-z_]+)*")


class RelayAnswer:
    """A provider's answer; its first chunk is here already."""

    def __init__(self, call: UpstreamCall, response: aiohttp.ClientResponse, first: bytes) -> None:
        self._call = call
        self._response = response
        self._first = first
        self._redactor = Redactor(call.route)
        self._tail = Tail(_STREAM_TAIL if self.is_event_stream else _BODY_TAIL)

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        passed = downward(self._response.headers)
        return self._redactor.headers(passed) if self.status >= 400 else passed

    @property
    def is_event_stream(self) -> bool:
        return self._response.content_type == "text/event-stream"

    @property
    def usage(self) -> Usage | None:
        return usage_of(bytes(self._tail), self.is_event_stream)

    def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives, an error's without our secrets. Raises UpstreamError where it breaks off."""
        if self.status >= 400:
            return self._redactor.error(self._arriving())
        return self._redactor.stream(self._arriving()) if self.is_event_stream else self._arriving()

    async def _arriving(self) -> AsyncIterator[bytes]:
        idle = self._call.route.timeouts.idle
        chunk = self._first
        while chunk:
            self._tail.add(chunk)
            yield chunk
            try:
                async with asyncio.timeout(idle):
                    chunk = await self._response.content.readany()
            except TimeoutError:
                raise silent(self._call, "idle_seconds", idle) from None
            except aiohttp.ClientError as error:
                raise broke_off(self._call, error) from error
        if self._should_end_itself() and not is_complete(bytes(self._tail)):
            raise truncated(self._call)

    def _should_end_itself(self) -> bool:
        return self.is_event_stream and self.status < 300 and self._call.path in _COMPLETIONS


class Relay:
    """Calls over one pool of connections. Construct it in the running loop; `close()` ends it."""

    def __init__(self) -> None:
        self._connections = Connections()

    async def close(self) -> None:
        """Close every connection."""
        await self._connections.close()

    @asynccontextmanager
    async def open(self, call: UpstreamCall) -> AsyncIterator[Answer]:
        """Open a call; leaving closes its connection, unless the answer was read to its end."""
        response, first = await self._begin(call)
        try:
            yield RelayAnswer(call, response, first)
        finally:
            response.close()

    async def _begin(self, call: UpstreamCall) -> tuple[aiohttp.ClientResponse, bytes]:
        timeouts = call.route.timeouts
        try:
            async with asyncio.timeout(timeouts.first_byte):
                return await self._try(call)
        except aiohttp.ConnectionTimeoutError as error:
            raise silent(call, "connect_seconds", timeouts.connect) from error
        except TimeoutError:
            raise silent(call, "first_byte_seconds", timeouts.first_byte) from None
        except aiohttp.ClientError as error:
            raise unreachable(call, error) from error

    async def _try(self, call: UpstreamCall) -> tuple[aiohttp.ClientResponse, bytes]:
        for attempt in range(call.route.retries):
            try:
                response, first = await self._send(call)
            except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
                await asyncio.sleep(pause(attempt, {}))
                continue
            if not turned_away(response.status):
                return response, first
            response.close()
            await asyncio.sleep(pause(attempt, response.headers))
        return await self._send(call)

    async def _send(self, call: UpstreamCall) -> tuple[aiohttp.ClientResponse, bytes]:
        response = await self._connections.request(
            call.method, _url(call), _headers(call), call.body, call.route.timeouts.connect
        )
        if 300 <= response.status < 400:
            response.close()
            raise redirected(call, response.status)
        try:
            return response, await response.content.readany()
        except BaseException:
            response.close()
            raise


def _url(call: UpstreamCall) -> URL:
    if not _PATH.fullmatch(call.path):
        raise NotFound(f"{call.path!r} is not an endpoint that is relayed")
    url = URL(call.route.base_url or "") / call.path
    return url.update_query(call.route.query) if call.route.query else url


def _headers(call: UpstreamCall) -> dict[str, str]:
    headers = {**upward(call.headers), "accept-encoding": "identity"}
    if call.route.api_key is not None:
        headers["authorization"] = f"Bearer {call.route.api_key.get_secret_value()}"
    return headers | {name.lower(): value for name, value in call.route.headers.items()}
