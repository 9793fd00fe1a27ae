"""A proxy with something to read, and two ways to ask it: the MCP SDK's client, and bare HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from aiohttp import ClientSession
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from proxy.app import Running
from proxy.demo.config import demo_settings
from proxy.http import keys
from proxy.keys import hash_key
from proxy.settings import AuthSettings, Settings, TenantSettings, WorkspaceSettings

PATH = "/v1/context/mcp"
TEAM, OTHERS = "fb-key-of-the-team", "fb-key-of-the-others"
LOCATOR, FOREIGN, UNKNOWN = "art_abcdefgh2345", "art_bbbbbbbbbbbb", "art_zzzzzzzzzzzz"
TEXT = (
    "".join(f"line {number}\n" for number in range(1, 3_001))
    + "def berth(ship):\n    return ship.length\n\n\ndone = 1\n"
)
BOAT = "class Boat:\n    def sail(self, speed):\n        return speed\n"
MODES = ["legacy", "auto"]
"""How the SDK's client connects: with the handshake, or without, where the server can do that."""


def mcp_settings(folder: Path) -> Settings:
    """A team with a workspace, and others without."""
    source = folder / "source"
    source.mkdir()
    (source / "boat.py").write_text(BOAT)
    tenants = tuple(
        TenantSettings(name=name, key_hashes=(hash_key(key),), policies=("default",))
        for name, key in (("team", TEAM), ("others", OTHERS))
    )
    named = (WorkspaceSettings(name="yard", path=source, tenants=("team",)),)
    plain = demo_settings("http://127.0.0.1:9/v1", folder)
    server = plain.server.model_copy(update={"max_body_mb": 1})
    auth = AuthSettings(mode="keys")
    return plain.model_copy(update={"server": server, "auth": auth, "tenants": tenants, "workspaces": named})


async def stock(proxy: Running) -> None:
    """Keep one text for the team and one for the others."""
    artifacts = proxy.app[keys.ARTIFACTS]
    assert await artifacts.put("team", LOCATOR, "result", TEXT, "ses_x")
    assert await artifacts.put("others", FOREIGN, "result", "what is theirs", "ses_y")


@asynccontextmanager
async def connected(url: str, mode: str = "legacy", key: str | None = TEAM) -> AsyncIterator[Client]:
    """The SDK's client at the endpoint of the proxy at `url`."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url + PATH, http_client=http), mode=mode) as client,
    ):
        yield client


def text_of(result: CallToolResult) -> str:
    (part,) = result.content
    assert part.type == "text"
    return part.text


async def read(client: Client, **arguments: Any) -> str:
    """What `context_read` tells of the team's text; it must not be an error."""
    result = await client.call_tool("context_read", {"locator": LOCATOR, **arguments})
    assert not result.is_error
    return text_of(result)


@dataclass(frozen=True)
class Raw:
    """A bare HTTP answer."""

    status: int
    body: Any
    headers: dict[str, str]

    @property
    def code(self) -> int:
        found: int = self.body["error"]["code"]
        return found


async def posted(
    url: str, body: Any, key: str | None = TEAM, method: str = "POST", path: str = PATH, **headers: str
) -> Raw:
    """One request as it is; bytes are sent as they are, all else as JSON."""
    sent = {"content-type": "application/json", **({"authorization": f"Bearer {key}"} if key else {})}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with ClientSession() as http, http.request(method, url + path, data=data, headers=sent) as answer:
        told = await answer.read()
        return Raw(answer.status, json.loads(told) if told else None, {k.lower(): v for k, v in answer.headers.items()})


def counted(proxy: Running, by: str, result: str) -> float:
    """How many readings the metrics tell of."""
    shown = proxy.app[keys.METRICS].exposition().decode()
    match = re.search(rf'forebay_retrievals_total{{by="{by}",result="{result}"}} (\S+)', shown)
    return float(match[1]) if match else 0
