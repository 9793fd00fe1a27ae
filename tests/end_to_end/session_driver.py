"""Drives a session through a running proxy, request by request over HTTP, and judges each step.

The upstream keeps the bytes that reach it, so what is judged is what a provider would have seen, beside what the
proxy says of it in its headers.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientTimeout
from pydantic import SecretStr

from proxy.app import Running, running
from proxy.context import Asked, ContextEngine
from proxy.demo.prompt_cache import PromptCounter
from proxy.demo.structure import changed_by_the_way, violations
from proxy.errors import ContextTooLong
from proxy.http import keys
from proxy.policy_files import load_policies
from proxy.settings import (
    ArtifactsSettings,
    AuthSettings,
    LoggingSettings,
    ModelSettings,
    PriceSettings,
    ServerSettings,
    Settings,
    StateSettings,
)
from proxy.tokens import Counter
from proxy.wire.envelope import slice_body
from tests.scripted_upstream import Json, Recorded, Reply, ScriptedUpstream, completion

Body = dict[str, Any]

COUNTER = Counter("o200k_base")
TAKEN_OUT = ("dropped", "cleared", "spilled", "reduced")

ANSWER = Json(completion({"content": "noted"}, usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}))


def _answer(_: Recorded) -> Reply:
    return ANSWER


@dataclass(frozen=True)
class Sent:
    """One request: the client's bytes, the answer's status and `x-context-*` headers, what reached the upstream.

    `forwarded` is None where the proxy answered itself.
    """

    sent: bytes
    status: int
    context: Mapping[str, str]
    answer: bytes
    forwarded: bytes | None

    @property
    def batches(self) -> str:
        return self.context["x-context-batches"]

    def count(self, *names: str) -> int:
        """The sum of these token headers."""
        return sum(int(self.context[f"x-context-{name}-tokens"]) for name in names)

    def messages(self) -> list[Body]:
        """The messages that reached the upstream."""
        assert self.forwarded is not None
        found: list[Body] = json.loads(self.forwarded)["messages"]
        return found


@dataclass(frozen=True)
class House:
    """A running proxy before a scripted upstream."""

    proxy: Running
    upstream: ScriptedUpstream
    http: ClientSession

    async def send(self, body: bytes, session: str) -> Sent:
        """One request, as an agent sends it."""
        self.upstream.requests.clear()
        headers = {"content-type": "application/json", "x-context-session": session}
        url = f"{self.proxy.url}/v1/chat/completions"
        async with self.http.post(url, data=body, headers=headers) as response:
            answer = await response.read()
        context = {key.lower(): value for key, value in response.headers.items()}
        forwarded = self.upstream.requests[0].body if self.upstream.requests else None
        assert len(self.upstream.requests) <= 1
        return Sent(body, response.status, context, answer, forwarded)


@asynccontextmanager
async def house(folder: Path, models: Iterable[tuple[int, str]]) -> AsyncIterator[House]:
    """A whole proxy on `folder`, which outlives it, with a model for each window and policy."""
    async with ScriptedUpstream() as upstream:
        upstream.default = _answer
        configured = [_model(upstream.url, window, policy) for window, policy in models]
        async with running(_settings(configured, folder)) as proxy, ClientSession(timeout=ClientTimeout(60)) as http:
            yield House(proxy, upstream, http)


def model_name(window: int, policy: str) -> str:
    """The name that an agent asks for."""
    return f"{policy}-{window}"


def dumped(body: Body) -> bytes:
    """A body as most clients write it; escapes keep what UTF-8 cannot hold."""
    return json.dumps(body, separators=(",", ":")).encode()


class Judge:
    """What must hold of every request of a session, whatever the policy; `window` is the hard budget."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._counter = PromptCounter(COUNTER.count)
        self._before: Sent | None = None

    def judge(self, one: Sent) -> Iterator[str]:
        """What is wrong with this request, after those judged before it."""
        if one.status != 200:
            yield from self._braked(one)
            return
        body, sent = json.loads(one.forwarded or b"{}"), json.loads(one.sent)
        yield from violations(body)
        yield from changed_by_the_way(body, sent)
        yield from self._over_budget(one, body)
        yield from self._unaccounted(one)
        yield from self._moved(one)
        if "policy" in one.context.get("x-context-degraded", ""):
            yield "a policy failed, and the original was forwarded"
        self._before = one

    def _braked(self, one: Sent) -> Iterator[str]:
        error = json.loads(one.answer)["error"]
        if (one.status, error["code"]) != (400, "context_length_exceeded"):
            yield f"status {one.status}: {error}"
        elif error["budget"]["forwarded"] <= self._window:
            yield f"the brake answered although {error['budget']['forwarded']} tokens fit into {self._window}"
        if one.forwarded is not None:
            yield "the brake answered, and still something reached the upstream"

    def _over_budget(self, one: Sent, body: Body) -> Iterator[str]:
        """By the proxy's count, and by the upstream's own."""
        measured = sum(segment.tokens for segment in self._counter.segments(body))
        for who, tokens in (("the proxy", one.count("forwarded")), ("the upstream", measured)):
            if tokens > self._window:
                yield f"{who} counts {tokens} tokens, over the window of {self._window}"

    def _unaccounted(self, one: Sent) -> Iterator[str]:
        left = one.count("received", "added") - one.count(*TAKEN_OUT)
        if left != one.count("forwarded"):
            yield f"received, added and taken out leave {left}, but {one.count('forwarded')} were forwarded"
        if one.count(*TAKEN_OUT, "added") == 0 and one.sent != one.forwarded:
            yield "nothing was taken out or added, and yet the bytes are not the client's"

    def _moved(self, one: Sent) -> Iterator[str]:
        before = self._before
        if before is None or before.batches != one.batches:
            return
        kept, now = before.messages(), one.messages()
        if now[: len(kept)] != kept:
            first = next(i for i, message in enumerate(kept) if now[i : i + 1] != [message])
            yield f"message {first} is not what it was in the request before, and no batch is reported"


class Restarted:
    """The same proxy's editing as a process that has just started would do it: nothing is remembered."""

    def __init__(self, on: House) -> None:
        self._app = on.proxy.app
        self._engine = ContextEngine(load_policies(None), {"o200k_base": COUNTER}, self._app[keys.SECRET])

    def forwarded(self, one: Sent) -> bytes | None:
        """What it would forward of this request; None where the brake would answer."""
        route = self._app[keys.CATALOG].resolve(json.loads(one.sent)["model"])
        assert route.policy is not None
        try:
            asked = Asked(slice_body(one.sent), "local", route, route.policy)
            return self._engine.edit_here(self._engine.carried_here(asked, {})).body
        except ContextTooLong:
            return None


def _settings(models: Iterable[ModelSettings], folder: Path) -> Settings:
    return Settings(
        server=ServerSettings(port=0, admin_port=0, shutdown_grace_seconds=1),
        auth=AuthSettings(mode="none"),
        models=tuple(models),
        state=StateSettings(directory=folder / "state"),
        artifacts=ArtifactsSettings(url=str(folder / "artifacts")),
        logging=LoggingSettings(level="warning", format="text"),
    )


def _model(upstream_url: str, window: int, policy: str) -> ModelSettings:
    name = model_name(window, policy)
    return ModelSettings(
        name=name,
        upstream=f"openai/{name}",
        api_base=upstream_url,
        api_key=SecretStr("none"),
        transport="relay",
        window=window,
        window_includes_output=True,
        prices=PriceSettings(input=1.25, output=10, cache_read=0.125, cache_write=1.5625),
        policy=policy,
    )
