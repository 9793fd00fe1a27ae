"""The MCP server: our tools for agents that call them themselves, each POST on its own.

There are no sessions and no stream of the server's: GET and DELETE are 405, as the protocol allows.
"""

from __future__ import annotations

from typing import Any

from aiohttp import web

from proxy.http import keys
from proxy.http.body import read_json_body
from proxy.http.options import policy_of
from proxy.mcp import Tool, code_symbol, context_read, replied
from proxy.outline import outline

ENCODING = "o200k_base"
"""By what pages are weighed: nobody knows here which model will read them."""


async def mcp(request: web.Request) -> web.Response:
    """Answer one message; one that waits for no answer is 202."""
    tools = _tools(request)
    reply = await replied(await read_json_body(request), request.headers, tools)
    if reply.message is None:
        return web.Response(status=reply.status)
    return web.json_response(reply.message, status=reply.status)


def _tools(request: web.Request) -> list[Tool]:
    """The tools of this tenant, in the order in which they are listed."""
    app, tenant = request.app, request[keys.TENANT]
    engine, workspaces = app[keys.ENGINE], app[keys.WORKSPACES]
    policy = policy_of(tenant, request.headers.get("x-context-policy"), None, engine.policies)
    how: dict[str, Any] = {
        "count": engine.count(ENCODING),
        "page_tokens": engine.policies[policy].retrieval.page_tokens,
        "on_read": app[keys.METRICS].retrieval,
    }
    tools = [context_read(tenant.name, app[keys.ARTIFACTS], outline, **how)]
    if workspaces.has(tenant.name):
        tools.append(code_symbol(tenant.name, workspaces, **how))
    return tools
