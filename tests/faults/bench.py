"""What the tests of faults share: a session whose history is edited, an agent, a proxy around a scripted provider."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientTimeout
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from proxy.app import Running, running
from proxy.context import Asked, ContextEngine, newest_spills
from proxy.demo.coding import coding
from proxy.demo.session import requests
from proxy.http import keys
from proxy.policy_files import load_policies
from proxy.settings import (
    ArtifactsSettings,
    AuthSettings,
    LoggingSettings,
    ModelSettings,
    ServerSettings,
    Settings,
    StateSettings,
)
from proxy.tokens import Counter
from proxy.wire.envelope import slice_body
from tests.scripted_upstream import ScriptedUpstream

SECRET = "a secret of the tests, the same in every proxy"
MODEL, WINDOW = "m", 12_000
LOCATOR = re.compile(r"art_[a-z2-7]{12}")
NO_STORE = "redis://127.0.0.1:1"
"""A store's address at which nobody listens: one thing less to start."""
PATIENCE = 20.0
"""Seconds after which a test gives up on what should happen at once: the machine may be busy."""


@dataclass(frozen=True)
class Answered:
    """An answer as the agent got it."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def degraded(self) -> str | None:
        return self.headers.get("x-context-degraded")

    @property
    def error(self) -> Any:
        return json.loads(self.body)["error"]


@dataclass(frozen=True)
class Bench:
    """A running proxy, the provider behind it, an agent in front of it."""

    proxy: Running
    provider: ScriptedUpstream
    http: ClientSession

    async def ask(self, body: bytes | dict[str, Any], **headers: str) -> Answered:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent_headers = {"content-type": "application/json", **headers}
        async with self.http.post(f"{self.proxy.url}/v1/chat/completions", data=sent, headers=sent_headers) as response:
            return Answered(response.status, dict(response.headers), await response.read())

    async def play(self, bodies: Sequence[bytes]) -> list[Answered]:
        """One request after the other, each recorded before the next is sent."""
        answers = []
        for body in bodies:
            answers.append(await self.ask(body))
            await self.recorded()
        return answers

    async def recorded(self) -> None:
        """Wait for what goes on behind the answers."""
        await self.proxy.app[keys.BACKGROUND].drain(PATIENCE)

    async def get(self, path: str) -> Answered:
        async with self.http.get(f"{self.proxy.url}{path}") as response:
            return Answered(response.status, dict(response.headers), await response.read())

    async def ready(self) -> tuple[int, str]:
        """Status and store as `/readyz` tells them."""
        answer = await self.get("/readyz")
        return answer.status, json.loads(answer.body)["store"]

    async def metric(self, name: str, **labels: str) -> float:
        """One sample of the admin port; 0 where it is not there."""
        async with self.http.get(f"{self.proxy.admin_url}/metrics") as response:
            families = text_string_to_metric_families(await response.text())
        samples = (sample for family in families for sample in family.samples)
        return sum(sample.value for sample in samples if (sample.name, sample.labels) == (name, labels))

    @property
    def forwarded(self) -> list[bytes]:
        """What reached the provider, in order."""
        return [request.body for request in self.provider.requests]

    def unspilled(self, bodies: Sequence[bytes]) -> list[bytes]:
        """What must reach the provider where no original can be kept: the newest results whole, all else as ever."""
        app = self.proxy.app
        engine = ContextEngine(load_policies(None), {"o200k_base": Counter("o200k_base")}, app[keys.SECRET])
        route = app[keys.CATALOG].resolve(MODEL)
        assert route.policy is not None
        forwarded = []
        for body in bodies:
            asked = engine.carried_here(Asked(slice_body(body), "local", route, route.policy), {})
            edited = engine.edit_here(asked)
            forwarded.append((engine.inlined(asked, edited) if newest_spills(edited) else edited).body)
        return forwarded


def model(provider_url: str, name: str = MODEL, **changes: Any) -> ModelSettings:
    """A model of the provider's; `changes` are keys of its configuration."""
    given = {"window": WINDOW, "window_includes_output": True, "transport": "relay", **changes}
    return ModelSettings(name=name, upstream="openai/m", api_base=provider_url, api_key=SecretStr("key"), **given)


def settings(
    folder: Path,
    *models: ModelSettings,
    state_url: str = "embedded",
    artifacts: Path | None = None,
    timeout_ms: int = 2_000,
    grace: float = 1,
) -> Settings:
    """A proxy on free ports that keeps everything below `folder`; patient with its store unless told otherwise."""
    return Settings(
        secret=SecretStr(SECRET),
        server=ServerSettings(port=0, admin_port=0, shutdown_grace_seconds=grace),
        auth=AuthSettings(mode="none"),
        models=models,
        state=StateSettings(url=SecretStr(state_url), directory=folder / "state", timeout_ms=timeout_ms),
        artifacts=ArtifactsSettings(url=str(artifacts or folder / "artifacts")),
        logging=LoggingSettings(level="warning", format="text"),
    )


@asynccontextmanager
async def bench(folder: Path, *, change: Mapping[str, Any] | None = None, **options: Any) -> AsyncIterator[Bench]:
    """A whole proxy with one model; `change` are keys of the model, `options` those of `settings`."""
    async with ScriptedUpstream() as provider:
        configured = settings(folder, model(provider.url, **(change or {})), **options)
        async with running(configured) as proxy, an_agent() as http:
            yield Bench(proxy, provider, http)


def an_agent() -> ClientSession:
    return ClientSession(timeout=ClientTimeout(total=PATIENCE))


@cache
def session(count: int = 24, name: str = MODEL) -> tuple[bytes, ...]:
    """The first requests of the demo's coding session; in a small window its history is edited again and again."""
    bodies = list(requests(coding(), name))[:count]
    return tuple(json.dumps(body, ensure_ascii=False).encode() for body in bodies)


def locators(forwarded: Sequence[bytes]) -> set[str]:
    """Every locator that the model was shown."""
    return {found for body in forwarded for found in LOCATOR.findall(body.decode())}


async def until(holds: Callable[[], bool], what: str) -> None:
    """Wait for something that sends no event."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not holds():  # noqa: ASYNC110 -- a process or a file has no event to await
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"{what}: not within {PATIENCE:g} s") from None
