"""Paths that a later version will serve: a clear answer instead of a wrong one."""

from __future__ import annotations

from typing import NoReturn

from aiohttp import web

from proxy.errors import NotFound


async def mcp(request: web.Request) -> NoReturn:
    """The MCP server."""
    raise NotFound("the MCP server is not built yet; read artifacts with GET /v1/context/artifacts/{locator}")
