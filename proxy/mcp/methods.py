"""What a client may ask: who answers here, which tools there are, and calls of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proxy.mcp.rpc import INVALID_PARAMS, METHOD_NOT_FOUND, Call, RpcError
from proxy.mcp.tools import Tool
from proxy.mcp.versions import BY_REQUEST, agreed
from proxy.version import VERSION

SERVER = {"name": "forebay", "version": VERSION}
INSTRUCTIONS = (
    "Forebay takes long tool results and old turns out of a conversation and leaves [Forebay: ...] markers with "
    "locators (art_...) in their place. context_read reads back what they stand for."
)
_CAPABILITIES = {"tools": {"listChanged": False}}
_NOT_CACHED = {"ttlMs": 0, "cacheScope": "private"}
_COMPLETE = {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": SERVER}}

Result = dict[str, Any]


async def result_with_handshake(call: Call, tools: Sequence[Tool]) -> Result:
    """The answer up to 2025-11-25; RpcError where there is none."""
    match call.method:
        case "initialize":
            return _initialized(call.params)
        case "ping":
            return {}
        case "tools/list":
            return _listed(call.params, tools)
        case "tools/call":
            return await _called(call.params, tools)
        case _:
            raise _unknown(call.method)


async def result_by_request(call: Call, tools: Sequence[Tool]) -> Result:
    """The answer since 2026-07-28, where each says that it is whole and from whom; RpcError where there is none."""
    match call.method:
        case "server/discover":
            who = {"supportedVersions": list(BY_REQUEST), "capabilities": _CAPABILITIES, "instructions": INSTRUCTIONS}
            return {**who, **_NOT_CACHED, **_COMPLETE}
        case "tools/list":
            return {**_listed(call.params, tools), **_NOT_CACHED, **_COMPLETE}
        case "tools/call":
            return {**await _called(call.params, tools), **_COMPLETE}
        case _:
            raise _unknown(call.method)


def _initialized(params: dict[str, Any]) -> Result:
    match params:
        case {"protocolVersion": str(version), "capabilities": dict(), "clientInfo": dict()}:
            return {
                "protocolVersion": agreed(version),
                "capabilities": _CAPABILITIES,
                "serverInfo": SERVER,
                "instructions": INSTRUCTIONS,
            }
        case _:
            raise RpcError(INVALID_PARAMS, "initialize takes protocolVersion, capabilities and clientInfo")


def _listed(params: dict[str, Any], tools: Sequence[Tool]) -> Result:
    if params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "all tools are on one page; leave cursor out")
    return {"tools": [tool.listed() for tool in tools]}


async def _called(params: dict[str, Any], tools: Sequence[Tool]) -> Result:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict | None):
        raise RpcError(INVALID_PARAMS, "tools/call takes name, a string, and arguments, an object")
    for tool in tools:
        if tool.name == name:
            told = await tool.answer(arguments or {})
            return {"content": [{"type": "text", "text": told.text}], "isError": told.is_error}
    known = ", ".join(tool.name for tool in tools)
    raise RpcError(INVALID_PARAMS, f"there is no tool {name[:80]!r}; there are: {known}")


def _unknown(method: str) -> RpcError:
    return RpcError(METHOD_NOT_FOUND, f"there is no method {method[:80]!r} here; tools/list and tools/call are served")
