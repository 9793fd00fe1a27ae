"""What the end-to-end tests run against: settings for a whole proxy, its provider, and small ways to ask it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from aiohttp import ClientSession
from multidict import CIMultiDictProxy
from pydantic import SecretStr

from proxy.app import Running
from proxy.http import keys
from proxy.settings import (
    ArtifactsSettings,
    AuthSettings,
    LoggingSettings,
    ModelSettings,
    PoliciesSettings,
    PriceSettings,
    ServerSettings,
    Settings,
    StateSettings,
)
from tests.scripted_upstream import Recorded, ScriptedUpstream, chat_completion

WINDOWS = (150, 200, 300, 400, 500, 600, 800, 1_000, 2_000, 4_096, 32_000, 1_000_000)
OWN_NAMES = ("gpt-4o-mini", "gpt-5")
"""Models whose name upstream is the one that clients use."""
UPSTREAM_NAME = "the-providers-name"
KEY = "sk-operator-0123456789"
MAX_BODY_MB = 8
KEEPS = range(2, 9)
LOCATOR = re.compile(r"art_[a-z2-7]{12}")

Transport = Literal["relay", "litellm"]


class Provider(ScriptedUpstream):
    """The scripted upstream of a whole module, made new for each test."""

    def forget(self) -> None:
        """Nothing recorded, nothing queued, nothing aborted."""
        self.requests.clear()
        self._replies.clear()
        self.aborted.clear()
        self.aborts = 0
        self.default = chat_completion

    @property
    def only(self) -> Recorded:
        """The one request that has arrived."""
        (request,) = self.requests
        return request


@dataclass(frozen=True)
class Answer:
    """A whole answer of the proxy."""

    status: int
    headers: CIMultiDictProxy[str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = self.json["error"]
        return found

    def number(self, name: str) -> int:
        """The value of the header `x-context-NAME`."""
        return int(self.headers[f"x-context-{name}"])


def proxy_settings(upstream_url: str, folder: Path) -> Settings:
    """Free ports, no keys, an embedded store; for every window a `relay-WINDOW` and a `litellm-WINDOW`."""
    write_policies(folder / "policies")
    named = [_model(f"{transport}-{window}", UPSTREAM_NAME, transport, window, upstream_url)
             for transport in ("relay", "litellm") for window in WINDOWS]  # fmt: skip
    own = [_model(name, name, "relay", 32_000, upstream_url) for name in OWN_NAMES]
    translated = _model("claude-32000", "claude-sonnet-4-5", "litellm", 32_000, upstream_url.removesuffix("/v1"))
    claude = translated.model_copy(update={"upstream": "anthropic/claude-sonnet-4-5"})
    return Settings(
        server=ServerSettings(port=0, admin_port=0, shutdown_grace_seconds=1, max_body_mb=MAX_BODY_MB),
        auth=AuthSettings(mode="none"),
        models=(*named, *own, claude),
        policies=PoliciesSettings(directory=folder / "policies"),
        state=StateSettings(directory=folder / "state", timeout_ms=5_000),
        artifacts=ArtifactsSettings(url=str(folder / "artifacts")),
        logging=LoggingSettings(level="warning", format="text"),
    )


def write_policies(folder: Path) -> None:
    """A policy `keep-N` for every N of `KEEPS`, and `forward`, which lets through what does not fit."""
    folder.mkdir()
    for keep in KEEPS:
        (folder / f"keep-{keep}.yaml").write_text(f"extends: default\nkeep_last_turns: {keep}\n")
    (folder / "reads.yaml").write_text("extends: default\nretrieval: {enabled: true}\n")
    spill = "on_arrival: {spill: {enabled: true}}\n"
    (folder / "spills.yaml").write_text(f"extends: default\nretrieval: {{enabled: true}}\n{spill}")
    (folder / "forward.yaml").write_text("extends: default\non_overflow: forward\n")
    (folder / "together.yaml").write_text("extends: default\nisolate: {on_request: false}\n")


def _model(name: str, upstream_name: str, transport: Any, window: int, upstream_url: str) -> ModelSettings:
    return ModelSettings(
        name=name,
        upstream=f"openai/{upstream_name}",
        api_base=upstream_url,
        api_key=SecretStr(KEY),
        transport=transport,
        window=window,
        window_includes_output=True,
        prices=PriceSettings(input=1.25, output=10, cache_read=0.125),
    )


def chat(model: str, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request; one user message unless messages are given."""
    return {"model": model, "messages": list(messages) or [{"role": "user", "content": "good morning"}], **more}


def history(turns: int, result_lines: int = 30) -> list[dict[str, Any]]:
    """An agent's conversation: one call and its result a turn, then a last word of the user's."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You keep the harbour book."},
        {"role": "user", "content": "Read every berth's log."},
    ]
    for turn in range(turns):
        call = {
            "id": f"call_{turn}",
            "type": "function",
            "function": {"name": "read", "arguments": f'{{"berth": {turn}}}'},
        }
        log = "\n".join(f"berth {turn} line {line}: the crane moved box {turn * line}" for line in range(result_lines))
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{turn}", "content": log})
    return [*messages, {"role": "user", "content": "Which berth is free?"}]


async def ask(
    client: ClientSession,
    body: dict[str, Any] | bytes,
    path: str = "/v1/chat/completions",
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """POST a body and read the whole answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with client.post(
        path, data=BytesIO(data), headers={"content-type": "application/json", **(headers or {})}
    ) as got:
        return Answer(got.status, got.headers, await got.read())


async def look(client: ClientSession, path: str, method: str = "GET") -> Answer:
    """Ask without a body."""
    async with client.request(method, path) as got:
        return Answer(got.status, got.headers, await got.read())


async def settled(proxy: Running) -> None:
    """Wait for what the proxy still records and keeps of requests that were answered."""
    await proxy.app[keys.BACKGROUND].drain(10)


def texts(body: dict[str, Any]) -> str:
    """Everything that is said in a request, one message a line."""
    return "\n".join(json.dumps(message["content"], ensure_ascii=False) for message in body["messages"])
