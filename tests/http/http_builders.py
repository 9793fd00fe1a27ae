"""A whole main app over fakes at our own protocols, for the tests of `proxy/http`."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientSession, web
from pydantic import SecretStr

from proxy.artifacts import Artifact
from proxy.errors import NotFound, StoreError
from proxy.http import keys
from proxy.http.bodies import Bodies
from proxy.http.body import read_json_body
from proxy.http.readiness import Readiness
from proxy.http.routes import add_routes
from proxy.http.server import new_app, runner
from proxy.keeping import Keeper
from proxy.keys import hash_key
from proxy.metrics import Metrics
from proxy.settings import Settings
from proxy.state import RequestRecord
from proxy.tenants import Tenants
from proxy.upstream import Route, UpstreamCall, Usage

SECRET = b"a secret of the tests"
KEY_A, KEY_B = "fb-key-of-team-a", "fb-key-of-team-b"


def settings(mode: str = "keys", **auth: Any) -> Settings:
    tenants = [
        {"name": "team-a", "key_hashes": [hash_key(KEY_A)], "policy": "coding", "policies": ["chat"]},
        {"name": "team-b", "key_hashes": [hash_key(KEY_B), hash_key("fb-second-key")]},
    ]
    return Settings(auth={"mode": mode, **auth}, tenants=tenants if mode == "keys" else [], logging={"format": "json"})


def route(name: str = "gpt", model: str = "gpt", transport: Any = "relay") -> Route:
    return Route(name, f"openai/{model}", model, "openai", transport, "http://nowhere/v1", SecretStr("k"))


class FakeCatalog:
    def __init__(self, *routes: Route) -> None:
        self.routes = {each.name: each for each in routes}

    def names(self) -> list[str]:
        return list(self.routes)

    def resolve(self, name: str) -> Route:
        if name not in self.routes:
            raise NotFound(f"model {name!r} is not configured", param="model", code="model_not_found")
        return self.routes[name]


@dataclass
class FakeAnswer:
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    parts: tuple[bytes, ...] = (b'{"ok": ', b"true}")
    fails_with: Exception | None = None
    is_event_stream: bool = False
    usage: Usage | None = None

    async def chunks(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part
        if self.fails_with:
            raise self.fails_with


class FakeUpstream:
    def __init__(self) -> None:
        self.calls: list[UpstreamCall] = []
        self.answer = FakeAnswer()
        self.refuses_with: Exception | None = None

    @asynccontextmanager
    async def open(self, call: UpstreamCall) -> AsyncIterator[FakeAnswer]:
        self.calls.append(call)
        if self.refuses_with:
            raise self.refuses_with
        yield self.answer


class FakeArtifacts:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Artifact] = {}
        self.down = False

    async def put(self, tenant: str, locator: str, kind: str, text: str, session: str) -> bool:
        now = time.time()
        self.kept[tenant, locator] = Artifact(locator, kind, text, now, now + 60, (session,))
        return True

    async def get(self, tenant: str, locator: str) -> Artifact | None:
        self._check()
        return self.kept.get((tenant, locator))

    async def erase(self, tenant: str, locator: str) -> bool:
        self._check()
        return self.kept.pop((tenant, locator), None) is not None

    async def erase_session(self, tenant: str, session: str) -> int:
        self._check()
        mine = [key for key, kept in self.kept.items() if key[0] == tenant and kept.sessions == (session,)]
        for key in mine:
            del self.kept[key]
        return len(mine)

    async def usage_bytes(self, tenant: str) -> int:
        return 0

    def _check(self) -> None:
        if self.down:
            raise StoreError("the artifact store does not answer")


class FakeSessions:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], dict[str, Any]] = {}

    async def record(self, tenant: str, record: RequestRecord) -> None:
        self.kept[tenant, record.session] = {"id": record.session, "totals": record.added}

    async def list(self, tenant: str, limit: int = 100) -> list[dict[str, Any]]:
        return [session for (owner, _), session in self.kept.items() if owner == tenant][:limit]

    async def get(self, tenant: str, session: str) -> dict[str, Any] | None:
        return self.kept.get((tenant, session))

    async def erase(self, tenant: str, session: str) -> bool:
        return self.kept.pop((tenant, session), None) is not None


async def echo(request: web.Request) -> web.StreamResponse:
    """Stands for the completions handler: tells how long the body was."""
    return web.json_response({"bytes": len(await read_json_body(request))})


@dataclass
class World:
    """Everything behind one app, to be changed before `serve` and looked at after."""

    settings: Settings = field(default_factory=settings)
    catalog: FakeCatalog = field(default_factory=lambda: FakeCatalog(route()))
    upstream: FakeUpstream = field(default_factory=FakeUpstream)
    artifacts: FakeArtifacts = field(default_factory=FakeArtifacts)
    sessions: FakeSessions = field(default_factory=FakeSessions)
    bodies: Bodies = field(default_factory=lambda: Bodies(1, 4))
    handler: Any = echo
    store_up: bool = True

    def __post_init__(self) -> None:
        async def up() -> bool:
            return self.store_up

        self.readiness = Readiness(up, started=True, tokenizer=True, catalog=True)
        self.metrics = Metrics(self.catalog.names(), ["team-a", "team-b"], "1.2.3")

    def app(self) -> web.Application:
        app = new_app()
        app[keys.SETTINGS] = self.settings
        app[keys.TENANTS] = Tenants(self.settings, SECRET)
        app[keys.CATALOG] = self.catalog
        app[keys.UPSTREAM] = self.upstream
        app[keys.ARTIFACTS] = self.artifacts
        app[keys.SESSIONS] = self.sessions
        app[keys.METRICS] = self.metrics
        app[keys.KEEPER] = Keeper(self.artifacts, self.metrics)
        app[keys.BODIES] = self.bodies
        app[keys.READINESS] = self.readiness
        app[keys.SECRET] = SECRET
        add_routes(app, completions=self.handler, plan=self.handler)
        return app


@asynccontextmanager
async def serving(app: web.Application) -> AsyncIterator[str]:
    """The app on a free loopback port, run as the real one is; yields its address."""
    running = runner(app)
    await running.setup()
    try:
        await web.TCPSite(running, "127.0.0.1", 0).start()
        port = running.addresses[0][1]
        yield f"http://127.0.0.1:{port}"
    finally:
        await running.cleanup()


@asynccontextmanager
async def client_of(world: World, key: str | None = KEY_A) -> AsyncIterator[ClientSession]:
    """A client of the world's app that sends the key."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    async with serving(world.app()) as address, ClientSession(address, headers=headers) as client:
        yield client
