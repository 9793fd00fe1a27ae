"""The same requests to our server and to that of MCP's own Python SDK: both answer alike.

The SDK's server runs as it would for us: without sessions, with JSON answers, with our tools.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import mcp_types
import pytest
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import version
from multidict import CIMultiDict

from policies.reducers.reducer import no_outline
from proxy.mcp import Tool, context_read, replied
from proxy.mcp.methods import INSTRUCTIONS, SERVER
from proxy.mcp.versions import BY_REQUEST, CAPABILITIES_KEY, SHAKES_HANDS, VERSION_KEY
from tests.http.http_builders import FakeArtifacts

HELLO = {"protocolVersion": SHAKES_HANDS[-1], "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
META = {VERSION_KEY: BY_REQUEST[-1], CAPABILITIES_KEY: {}}
CALL = {"name": "context_read", "arguments": {"locator": "art_zzzzzzzzzzzz"}}

Headers = list[tuple[str, str]]


def our_tool() -> Tool:
    return context_read("t", FakeArtifacts(), no_outline, count=len, page_tokens=500, on_read=lambda *_: None)


@asynccontextmanager
async def sdks_server() -> AsyncIterator[httpx2.AsyncClient]:
    tool = our_tool()

    async def list_tools(context: Any, params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=[mcp_types.Tool.model_validate(tool.listed())])

    async def call_tool(context: Any, params: mcp_types.CallToolRequestParams) -> mcp_types.CallToolResult:
        told = await tool.answer(params.arguments or {})
        return mcp_types.CallToolResult(
            content=[mcp_types.TextContent(type="text", text=told.text)], is_error=told.is_error
        )

    server: Server[Any] = Server(
        SERVER["name"],
        version=SERVER["version"],
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    async with (
        manager.run(),
        httpx2.AsyncClient(transport=httpx2.ASGITransport(manager.handle_request), base_url="http://sdk") as client,
    ):
        yield client


async def both(body: Any, headers: Headers) -> tuple[tuple[int, Any], tuple[int, Any]]:
    """Status and message of either answer; an error without its words, which are our own."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    ours = await replied(raw, CIMultiDict(headers), [our_tool()])
    plain = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")]
    async with sdks_server() as client:
        theirs = await client.post("/", content=raw, headers=[*plain, *headers])
    return (ours.status, _bare(ours.message)), (
        theirs.status_code,
        _bare(json.loads(theirs.content) if theirs.content else None),
    )


def _bare(message: Any) -> Any:
    """Only one kind of error says something beside its words that a client reads: which versions there are."""
    match message:
        case {"error": {"code": -32022 as code, "data": data}}:
            return message | {"error": (code, data)}
        case {"error": {"code": code}}:
            return message | {"error": code}
        case _:
            return message


def asking(method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": "a", "method": method, **({} if params is None else {"params": params})}


def routed(method: str, name: str | None = None, spoken: str = BY_REQUEST[-1]) -> Headers:
    named = [("mcp-name", name)] if name is not None else []
    return [("mcp-protocol-version", spoken), ("mcp-method", method), *named]


def test_the_versions_are_those_of_the_sdk():
    assert (SHAKES_HANDS, BY_REQUEST) == (version.HANDSHAKE_PROTOCOL_VERSIONS, version.MODERN_PROTOCOL_VERSIONS)


@pytest.mark.parametrize("spoken", [None, *SHAKES_HANDS])
@pytest.mark.parametrize(
    "body",
    [
        asking("initialize", HELLO),
        asking("initialize", HELLO | {"protocolVersion": "2024-11-05"}),
        asking("initialize", HELLO | {"protocolVersion": "2099-01-01"}),
        asking("initialize", {"protocolVersion": SHAKES_HANDS[-1]}),
        asking("initialize"),
        asking("ping"),
        asking("ping", {}),
        asking("tools/list"),
        asking("tools/list", {"_meta": {"progressToken": 1}}),
        asking("tools/call", CALL),
        asking("tools/call", {"name": 7}),
        asking("tools/call", {"name": "context_read", "arguments": [1]}),
        asking("tools/call", {"name": "context_read", "arguments": None}),
        asking("server/discover"),
        asking("resources/list"),
        asking("nobody/knows"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        b"{",
    ],
)
async def test_with_a_handshake(body: Any, spoken: str | None) -> None:
    ours, theirs = await both(body, [("mcp-protocol-version", spoken)] if spoken else [])
    assert ours == theirs


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (asking("server/discover", {"_meta": META}), routed("server/discover")),
        (asking("tools/list", {"_meta": META}), routed("tools/list")),
        (asking("tools/call", CALL | {"_meta": META}), routed("tools/call", "context_read")),
        (asking("tools/call", CALL | {"_meta": META}), routed("tools/call", "=?base64?Y29udGV4dF9yZWFk?=")),
        (asking("tools/call", CALL | {"_meta": META}), routed("tools/call", "=?base64?%%%?=")),
        (asking("tools/call", CALL | {"_meta": META}), routed("tools/call", "=?base64?Y29udGV4!dF9yZWFk?=")),
        (asking("tools/call", {"_meta": META, "name": "a"}), routed("tools/call", "=?base64?YR==?=")),
        (asking("tools/call", CALL | {"_meta": META}), routed("tools/call", "=?base64?Y29udGV4dF9yZWFkYQ?=")),
        (asking("tools/call", CALL | {"_meta": META}), routed("tools/call", "=?base64?/w==?=")),
        (asking("tools/call", CALL | {"_meta": META}), routed("tools/call", "another")),
        (asking("tools/call", CALL | {"_meta": META}), routed("tools/call")),
        (asking("tools/call", {"_meta": META}), routed("tools/call")),
        (asking("tools/list", {"_meta": META}), routed("tools/call")),
        (asking("tools/list", {"_meta": META}), routed("tools/list")[:1]),
        (asking("tools/list", {"_meta": META}), [*routed("tools/list"), ("mcp-method", "tools/list")]),
        (asking("tools/list", {"_meta": META | {VERSION_KEY: "2099-01-01"}}), routed("tools/list")),
        (asking("tools/list", {"_meta": META | {VERSION_KEY: None}}), routed("tools/list")),
        (asking("tools/list", {"_meta": {VERSION_KEY: BY_REQUEST[-1]}}), routed("tools/list")),
        (asking("tools/list", {"_meta": {CAPABILITIES_KEY: {}}}), routed("tools/list")),
        (asking("tools/list", {"_meta": []}), routed("tools/list")),
        (asking("tools/list"), routed("tools/list")),
        (asking("tools/list"), routed("tools/list", spoken="2099-01-01")),
        (
            asking("tools/list", {"_meta": META | {VERSION_KEY: "2099-01-01"}}),
            routed("tools/list", spoken="2099-01-01"),
        ),
        (asking("initialize", HELLO | {"_meta": META}), routed("initialize")),
        (asking("ping", {"_meta": META}), routed("ping")),
        (asking("resources/list", {"_meta": META}), routed("resources/list")),
        (asking("nobody/knows", {"_meta": META}), routed("nobody/knows")),
        ({"jsonrpc": "2.0", "method": "notifications/cancelled"}, routed("notifications/cancelled")),
        ({"jsonrpc": "2.0", "method": "notifications/x"}, routed("notifications/x", spoken="2099-01-01")),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, routed("ping")),
        ([asking("tools/list", {"_meta": META})], routed("tools/list")),
        (asking("tools/list", {"_meta": META}) | {"id": None}, routed("tools/list")),
        (b"{", routed("tools/list")),
    ],
)
async def test_without_a_handshake(body: Any, headers: Headers) -> None:
    ours, theirs = await both(body, headers)
    assert ours == theirs


@pytest.mark.parametrize("encoded", ["", "é"])
async def test_a_tools_name_beyond_ascii_is_compared_as_it_is_meant(encoded: str) -> None:
    name = f"read{encoded}"
    header = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
    ours = await replied(
        json.dumps(asking("tools/call", {"_meta": META, "name": name, "arguments": {}})).encode(),
        CIMultiDict(routed("tools/call", header)),
        [our_tool()],
    )
    assert ours.message is not None
    assert f"there is no tool {name!r}" in ours.message["error"]["message"]
