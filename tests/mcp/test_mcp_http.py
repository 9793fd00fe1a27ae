"""The endpoint without an MCP client: what a message, a method, a header may be, and what is answered to others."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from proxy.app import Running
from proxy.mcp.versions import BY_REQUEST, CAPABILITIES_KEY, SHAKES_HANDS, VERSION_KEY
from tests.http.http_builders import World, client_of
from tests.http.http_builders import settings as plain_settings
from tests.mcp.mcp_house import LOCATOR, PATH, UNKNOWN, Raw, counted, posted

pytestmark = pytest.mark.asyncio(loop_scope="module")

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HELLO = {"protocolVersion": SHAKES_HANDS[-1], "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
META = {VERSION_KEY: BY_REQUEST[-1], CAPABILITIES_KEY: {}}


def asking(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def reading(**arguments: Any) -> dict[str, Any]:
    return asking("tools/call", name="context_read", arguments=arguments)


async def test_a_call_needs_no_handshake_before_it_so_that_any_worker_can_answer(proxy: Running) -> None:
    told = await posted(proxy.url, reading(locator=LOCATOR, lines="2"))
    (part,) = told.body["result"]["content"]
    assert (told.status, told.body["id"], part["text"].splitlines()[1]) == (200, 7, "line 2")
    assert told.headers["content-type"].startswith("application/json")


async def test_no_session_is_begun(proxy: Running) -> None:
    told = await posted(proxy.url, asking("initialize", **HELLO))
    assert "mcp-session-id" not in told.headers


@pytest.mark.parametrize(
    ("asked", "agreed"), [*((version, version) for version in SHAKES_HANDS), ("2099-01-01", SHAKES_HANDS[-1])]
)
async def test_the_version_is_the_clients_where_it_is_known_and_else_our_newest(
    proxy: Running, asked: str, agreed: str
) -> None:
    told = await posted(proxy.url, asking("initialize", **{**HELLO, "protocolVersion": asked}))
    assert told.body["result"]["protocolVersion"] == agreed


@pytest.mark.parametrize("id", [0, -3, 10**30, "a", ""])
async def test_an_answer_carries_the_id_of_its_call(proxy: Running, id: int | str) -> None:
    assert (await posted(proxy.url, {**PING, "id": id})).body == {"jsonrpc": "2.0", "id": id, "result": {}}


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"jsonrpc": "2.0", "id": NaN}', b"[" * 100_000])
async def test_what_is_no_json_is_a_parse_error(proxy: Running, body: bytes) -> None:
    told = await posted(proxy.url, body)
    assert (told.status, told.code, told.body["id"]) == (400, -32700, None)


@pytest.mark.parametrize(
    "body",
    [
        [PING],
        [],
        7,
        {},
        {"id": 1, "method": "ping"},
        {**PING, "jsonrpc": "1.0"},
        {**PING, "id": None},
        {**PING, "id": True},
        {**PING, "id": 1.5},
        {**PING, "method": 7},
        {**PING, "params": ["a"]},
        {"jsonrpc": "2.0", "id": 1},
    ],
)
async def test_what_is_no_single_request_is_refused(proxy: Running, body: Any) -> None:
    told = await posted(proxy.url, body)
    assert (told.status, told.code) == (400, -32600)


@pytest.mark.parametrize(
    "body",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}},
    ],
)
async def test_what_waits_for_no_answer_is_accepted_without_a_body(proxy: Running, body: Any) -> None:
    told = await posted(proxy.url, body)
    assert (told.status, told.body) == (202, None)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (asking("resources/list"), -32601),
        (asking("server/discover"), -32601),
        (asking("tools/list", cursor="2"), -32602),
        (asking("tools/call"), -32602),
        (asking("tools/call", name="rm", arguments={}), -32602),
        (asking("tools/call", name="context_read", arguments=[]), -32602),
        (asking("initialize"), -32602),
    ],
)
async def test_a_call_that_cannot_be_answered_is_told_so_inside_json_rpc(proxy: Running, body: Any, code: int) -> None:
    told = await posted(proxy.url, body)
    assert (told.status, told.code, told.body["id"]) == (200, code, 7)


async def test_a_locator_that_leads_nowhere_is_an_error_of_the_tool(proxy: Running) -> None:
    told = await posted(proxy.url, reading(locator=UNKNOWN))
    assert (told.status, told.body["result"]["isError"]) == (200, True)


async def test_half_an_emoji_in_the_arguments_does_no_harm(proxy: Running) -> None:
    calls = json.dumps(reading(locator=LOCATOR, grep="X")).replace("X", "\\ud83d").encode()
    searches = json.dumps(asking("tools/call", name="code_symbol", arguments={"search": "X"})).replace("X", "\\ud83d")
    for body in (calls, searches.encode()):
        told = await posted(proxy.url, body)
        assert (told.status, told.body["result"]["isError"]) == (200, False)


@pytest.mark.parametrize("version", ["1999-01-01", "2099-01-01", "", "x" * 5_000])
async def test_a_version_in_the_header_that_is_not_spoken_is_400(proxy: Running, version: str) -> None:
    told = await posted(proxy.url, asking("tools/list"), mcp_protocol_version=version)
    assert told.status == 400
    assert SHAKES_HANDS[-1] in told.body["error"]["message"]


async def test_a_version_without_handshake_that_is_not_spoken_gets_those_that_are(proxy: Running) -> None:
    body = asking("tools/list", _meta={**META, VERSION_KEY: "2099-01-01"})
    told = await posted(proxy.url, body, mcp_protocol_version="2099-01-01", mcp_method="tools/list")
    assert (told.status, told.code) == (400, -32022)
    assert told.body["error"]["data"] == {"supported": list(BY_REQUEST), "requested": "2099-01-01"}


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
async def test_there_is_no_stream_and_no_session_to_end(proxy: Running, method: str) -> None:
    told = await posted(proxy.url, b"", method=method)
    assert (told.status, told.code, told.headers["allow"]) == (405, "method_not_allowed", "POST")


@pytest.mark.parametrize("method", ["POST", "GET"])
@pytest.mark.parametrize("key", [None, "fb-nobodys"])
async def test_without_a_tenants_key_all_is_401_in_openais_shape(proxy: Running, key: str | None, method: str) -> None:
    told = await posted(proxy.url, PING, key=key, method=method)
    assert (told.status, told.code) == (401, "invalid_api_key")


async def test_a_content_type_other_than_json_is_415(proxy: Running) -> None:
    told = await posted(proxy.url, PING, content_type="text/plain")
    assert (told.status, told.code) == (415, "unsupported_media_type")


async def test_a_body_over_the_limit_is_413(proxy: Running) -> None:
    body = gzip.compress(json.dumps({**PING, "params": {"long": "x" * 1024 * 1024}}).encode())
    told = await posted(proxy.url, body, content_encoding="gzip")
    assert (told.status, told.code) == (413, "request_too_large")


async def test_a_compressed_body_is_read(proxy: Running) -> None:
    told = await posted(proxy.url, gzip.compress(json.dumps(PING).encode()), content_encoding="gzip")
    assert told.body["result"] == {}


async def test_a_policy_that_the_tenant_may_not_use_is_403(proxy: Running) -> None:
    told = await posted(proxy.url, PING, x_context_policy="chat")
    assert (told.status, told.code) == (403, "forbidden")


@pytest.mark.parametrize("headers", [{"origin": "http://127.0.0.1"}, {"host": "evil.example"}])
async def test_without_keys_web_pages_are_refused(headers: dict[str, str]) -> None:
    world = World(settings=plain_settings("none"))
    async with client_of(world, key=None) as client, client.post(PATH, json=PING, headers=headers) as answer:
        assert (answer.status, (await answer.json())["error"]["code"]) == (403, "forbidden")


async def test_reads_over_http_are_counted_like_those_over_mcp(proxy: Running) -> None:
    paths = {
        ("lines", "found"): f"{LOCATOR}?start=2",
        ("lines", "gone"): UNKNOWN,
        ("lines", "misread"): f"{LOCATOR}?start=x",
        ("grep", "nothing"): f"{LOCATOR}?grep=nowhere",
        ("symbol", "found"): f"{LOCATOR}?symbol=berth",
        ("symbol", "nothing"): f"{LOCATOR}?symbol=nobody",
    }
    for (by, result), path in paths.items():
        before = counted(proxy, by, result)
        await _got(proxy, path)
        assert counted(proxy, by, result) == before + 1


async def test_asking_what_is_known_of_an_original_is_no_reading(proxy: Running) -> None:
    before = counted(proxy, "lines", "found")
    assert (await _got(proxy, f"{LOCATOR}?meta=1")).status == 200
    assert counted(proxy, "lines", "found") == before


async def _got(proxy: Running, path: str) -> Raw:
    return await posted(proxy.url, b"", method="GET", path=f"/v1/context/artifacts/{path}")
