"""The app that new requests are for, behind connections that outlast it.

Each configuration has an app of its own. When another takes its turn, a request under way goes on with the one that
it began with, and the next request on the same connection is for the new one: no connection is closed for it.
"""

from __future__ import annotations

from aiohttp import web

from proxy.http.server import runner


class Live:
    """Runs one app after the other. The first owns the ports and what is opened; its successors open nothing."""

    def __init__(self, first: web.Application) -> None:
        self.app = first
        first[LIVE] = self
        self.front = runner(first)
        self._successor: web.AppRunner | None = None

    async def setup(self) -> None:
        """Open what the first app opens; sites are the caller's to add to `front`."""
        await self.front.setup()
        server = _server(self.front)
        self._answer = server.request_handler
        server.request_handler = self._dispatch

    async def replace(self, app: web.Application) -> None:
        """From the next request on, this app answers."""
        successor = runner(app)
        await successor.setup()
        self._answer = _server(successor).request_handler
        self.app, before, self._successor = app, self._successor, successor
        if before is not None:
            await before.cleanup()

    async def cleanup(self) -> None:
        """Close what the first app opened."""
        if self._successor is not None:
            await self._successor.cleanup()
        await self.front.cleanup()

    async def _dispatch(self, request: web.BaseRequest) -> web.StreamResponse:
        return await self._answer(request)


def _server(on: web.AppRunner) -> web.Server:
    assert on.server is not None, "setup comes first"
    return on.server


LIVE = web.AppKey("live", Live)
