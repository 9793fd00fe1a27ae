"""Clients with keys of their own: nothing is kept of them before a provider has taken the key."""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.errors import StoreError
from proxy.http import keys
from proxy.http.originals import kept_beside
from proxy.http.recording import Exchange
from proxy.http.shortfalls import Shortfalls


def judged(app: web.Application, exchange: Exchange, status: int, shortfalls: Shortfalls) -> asyncio.Task[bool] | None:
    """The provider's word on the client's key. With the first success what waited is kept: the originals' task."""
    if not app[keys.PROVEN].judged(exchange.tenant, status):
        return None
    app[keys.BACKGROUND].start(_written(app, exchange.tenant, shortfalls))
    return kept_beside(app, exchange, shortfalls)


async def _written(app: web.Application, tenant: str, shortfalls: Shortfalls) -> None:
    try:
        await app[keys.RECORDS].written(tenant)
    except StoreError:
        shortfalls.add("state")
