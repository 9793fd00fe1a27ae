"""The requests under way, and how the shutdown ends them: it waits, then stops each with an error of its own.

A handler that is stopped here is cancelled as by a time-out, so that its client is told; the server would cut it off.
"""

from __future__ import annotations

import asyncio

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.errors import Overloaded

_LAST_WORDS_SECONDS = 1.0


class InFlight:
    """Who is still to be answered. Belongs to one event loop."""

    def __init__(self) -> None:
        self._limits: set[asyncio.Timeout] = set()
        self._none_left = asyncio.Event()
        self._none_left.set()

    async def end(self, grace_seconds: float) -> None:
        """Wait for all, then stop those that are left and let them say so."""
        await self._wait(grace_seconds)
        for limit in self._limits:
            limit.reschedule(asyncio.get_running_loop().time())
        await self._wait(_LAST_WORDS_SECONDS)

    async def run(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The handler's answer; Overloaded where the shutdown stopped it."""
        try:
            async with asyncio.timeout(None) as limit:
                self._enter(limit)
                try:
                    return await handler(request)
                finally:
                    self._leave(limit)
        except TimeoutError:
            if not limit.expired():
                raise
            raise Overloaded("the proxy is shutting down; send the request again") from None

    def _enter(self, limit: asyncio.Timeout) -> None:
        self._limits.add(limit)
        self._none_left.clear()

    def _leave(self, limit: asyncio.Timeout) -> None:
        self._limits.discard(limit)
        if not self._limits:
            self._none_left.set()

    async def _wait(self, seconds: float) -> None:
        if self._limits:
            await asyncio.wait({waiting := asyncio.create_task(self._none_left.wait())}, timeout=seconds)
            waiting.cancel()


IN_FLIGHT = web.AppKey("in_flight", InFlight)


@web.middleware
async def within_grace(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let the shutdown stop this request; inside the error boundary, which tells the client."""
    return await request.app[IN_FLIGHT].run(request, handler)
