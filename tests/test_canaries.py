"""Secrets of the operator and of clients, sent down every path that ends in an error: nothing tells them.

Looked through: every answer (head and body), the log at its most talkative, in both formats and with bodies on, the
metrics page, and the spans as a collector gets them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import ClientSession
from pydantic import SecretStr

from proxy.app import Running, running
from proxy.http.logs import formatter
from proxy.keys import hash_key
from proxy.settings import AuthSettings, LoggingSettings, TenantSettings, TracingSettings
from proxy.settings.extras import is_installed
from tests.faults.bench import an_agent, model, settings
from tests.scripted_upstream import Hang, Json, Recorded, Reset, ScriptedUpstream, Stream, chunk

CLIENT = "fb-canary1client9Zq7Wk3Xv5Tn2Rb8Lm4Pd6Hs1Jf0Gc"
STRANGER = "sk-canary2stranger8Yp6Vj2Ws4Sm1Qa7Kl3Oc5Gr0Ie9"
OPERATOR = "sk-canary3operator7Xo5Ui1Vr3Rl0Pz6Jk2Nb4Fq9Hd8"
HEADER = "canary4header6Wn4Th0Uq2Qk9Oy5Ij1Ma3Ep8Gc7"
QUERY = "canary5query5Vm3Sg9Tp1Pj8Nx4Hi0Lz2Do7Fb6"
SECRET = "canary6secret4Ul2Rf8So0Oi7Mw3Gh9Ky1Cn6Ea5"
STORE = "canary7store3Tk1Qe7Rn9Nh6Lv2Fg8Jx0Bm5Dz4"
CANARIES = (CLIENT, STRANGER, OPERATOR, HEADER, QUERY, SECRET, STORE)
FORMS = tuple({form for each in CANARIES for form in (each, each[4:], quote(each, safe=""))})


@dataclass
class Walk:
    """A proxy full of secrets, and all that it told."""

    on: Running
    provider: ScriptedUpstream
    http: ClientSession
    answers: list[str] = field(default_factory=list)

    async def ask(
        self, method: str = "POST", path: str = "/v1/chat/completions", key: str | None = CLIENT, **sent: Any
    ) -> int:
        headers = {"content-type": "application/json", **({"authorization": f"Bearer {key}"} if key else {})}
        headers |= sent.pop("headers", {})
        async with self.http.request(method, self.on.url + path, headers=headers, **sent) as answer:
            head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
            self.answers.append(f"{head}\n\n{(await answer.read()).decode(errors='replace')}")
            return answer.status


def body(**more: Any) -> bytes:
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": "go"}], **more}).encode()


def echoing(status: int, where: str = "body") -> Callable[[Recorded], Json]:
    """A provider that quotes what it was sent."""

    def reply(request: Recorded) -> Json:
        quoted = f"bad key {request.headers['authorization']} {request.headers['x-team']} {dict(request.query)}"
        if where == "head":
            return Json({"error": {"message": "no"}}, status, {"x-request-id": quoted})
        return Json({"error": {"message": quoted, "code": "invalid_api_key"}}, status)

    return reply


def echoing_stream(request: Recorded) -> Stream:
    quoted = {"error": {"message": f"{request.headers['authorization']} {request.headers['x-team']}"}}
    return Stream([chunk({"content": "a"}), quoted])


Path_ = Callable[[Walk], Awaitable[int]]
PATHS: dict[str, tuple[int, Path_]] = {
    "a stranger's key": (401, lambda walk: walk.ask(key=STRANGER, data=body())),
    "a key in another header": (401, lambda walk: walk.ask(key=None, headers={"x-api-key": STRANGER}, data=body())),
    "a key in another scheme": (
        401,
        lambda walk: walk.ask(key=None, headers={"authorization": f"Basic {STRANGER}"}, data=body()),
    ),
    "a cookie": (200, lambda walk: walk.ask(headers={"cookie": f"session={STRANGER}"}, data=body())),
    "a key in the query": (404, lambda walk: walk.ask("GET", f"/v1/nothing?key={CLIENT}")),
    "a key in an unknown path": (404, lambda walk: walk.ask("GET", f"/v1/{CLIENT}/models")),
    "a key as a model's name in the path": (404, lambda walk: walk.ask("GET", f"/v1/models/{CLIENT}")),
    "a key as a session": (503, lambda walk: walk.ask("GET", f"/v1/context/sessions/{CLIENT}")),
    "a key as a locator": (404, lambda walk: walk.ask("GET", f"/v1/context/artifacts/{CLIENT}")),
    "a key and the wrong method": (405, lambda walk: walk.ask("PUT", f"/v1/models/{CLIENT}")),
    "a key as the model": (404, lambda walk: walk.ask(data=body(model=CLIENT))),
    "a key as the policy": (403, lambda walk: walk.ask(headers={"x-context-policy": CLIENT}, data=body())),
    "a key as the mode": (400, lambda walk: walk.ask(headers={"x-context-mode": CLIENT}, data=body())),
    "a key as the session's name": (200, lambda walk: walk.ask(headers={"x-context-session": CLIENT}, data=body())),
    "a key in broken JSON": (400, lambda walk: walk.ask(data=b'{"model": "m", "x": "' + CLIENT.encode())),
    "a key twice in JSON": (400, lambda walk: walk.ask(data=f'{{"{CLIENT}": 1, "{CLIENT}": 2}}'.encode())),
    "a key where messages belong": (400, lambda walk: walk.ask(data=body(messages=CLIENT))),
    "a key as a role": (400, lambda walk: walk.ask(data=body(messages=[{"role": [CLIENT], "content": "x"}]))),
    "a key as the content type": (
        415,
        lambda walk: walk.ask(headers={"content-type": f"text/{CLIENT}"}, data=body()),
    ),
    "a key as the encoding": (415, lambda walk: walk.ask(headers={"content-encoding": CLIENT}, data=body())),
    "a key in a message": (200, lambda walk: walk.ask(data=body(metadata={"key": CLIENT}))),
    "the provider echoes in an error": (401, lambda walk: _told(walk, echoing(401))),
    "the provider echoes in a server error": (500, lambda walk: _told(walk, echoing(500))),
    "the provider echoes in a header": (429, lambda walk: _told(walk, echoing(429, "head"))),
    "the provider echoes in a stream": (200, lambda walk: _told(walk, echoing_stream, stream=True)),
    "the provider redirects": (502, lambda walk: _told(walk, lambda _: Json({}, 302, {"location": f"/{OPERATOR}"}))),
    "the provider resets": (502, lambda walk: _told(walk, lambda _: Reset())),
    "the provider is silent": (504, lambda walk: _told(walk, lambda _: Hang())),
    "the provider stops in a stream": (
        200,
        lambda walk: _told(walk, lambda _: Stream([chunk({"content": "a"})], reset=True), stream=True),
    ),
    "an embedding fails": (401, lambda walk: _told(walk, echoing(401), path="/v1/embeddings")),
    "the plan of a bad request": (400, lambda walk: walk.ask(path="/v1/context/plan", data=body(messages=CLIENT))),
    "a bad call over MCP": (400, lambda walk: walk.ask(path="/v1/context/mcp", data=f'{{"{CLIENT}'.encode())),
}


async def _told(walk: Walk, reply: Any, path: str = "/v1/chat/completions", **more: Any) -> int:
    walk.provider.reply(reply)
    return await walk.ask(path=path, data=body(**more))


@pytest.fixture
async def walk(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Walk]:
    caplog.set_level(logging.DEBUG, "proxy")
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(ScriptedUpstream())
        row = model(
            provider.url,
            headers={"x-team": SecretStr(HEADER)},
            query={"q": SecretStr(QUERY)},
            timeouts={"connect_seconds": 1, "first_byte_seconds": 0.5, "idle_seconds": 0.5},
        ).model_copy(update={"api_key": SecretStr(OPERATOR)})
        changes: dict[str, Any] = {
            "secret": SecretStr(SECRET),
            "auth": AuthSettings(mode="keys"),
            "tenants": (TenantSettings(name="team", key_hashes=(hash_key(CLIENT),)),),
            "logging": LoggingSettings(level="debug", bodies=True),
        }
        if is_installed("opentelemetry.exporter.otlp.proto.http"):
            from tests.otlp_receiver import collector  # noqa: PLC0415 -- needs the extra

            told = await stack.enter_async_context(collector())
            changes["tracing"] = TracingSettings(otlp_endpoint=told.url)
            stack.callback(lambda: _clean(b"\n".join(told.raw).decode(errors="replace"), "the spans"))
        configured = settings(tmp_path, row, state_url=f"redis://:{STORE}@127.0.0.1:1").model_copy(update=changes)
        async with running(configured) as on, an_agent() as http:
            walk = Walk(on, provider, http)
            yield walk
            async with http.get(f"{on.admin_url}/metrics") as answer:
                _clean(await answer.text(), "the metrics")
        records = [*caplog.get_records("setup"), *caplog.get_records("call")]
        assert any(record.getMessage() == "bodies" for record in records)
        for style in ("json", "text"):
            lines = [formatter(style).format(record) for record in records if record.name.startswith("proxy")]
            assert any("request" in line for line in lines)
            _clean("\n".join(lines), f"the log as {style}")


def _clean(text: str, what: str) -> None:
    for form in FORMS:
        at = text.find(form)
        assert at < 0, f"{what}: ...{text[max(at - 200, 0) : at + 80]}..."


@pytest.mark.parametrize(("status", "path"), PATHS.values(), ids=PATHS)
async def test_no_secret_is_told(walk: Walk, status: int, path: Path_) -> None:
    assert await path(walk) == status
    _clean("\n".join(walk.answers), "the answer")


async def test_the_secrets_are_really_on_their_way(walk: Walk) -> None:
    """Else the walk above would prove nothing."""
    assert await walk.ask(data=body()) == 200
    (sent,) = walk.provider.requests
    assert sent.headers["authorization"] == f"Bearer {OPERATOR}"
    assert (sent.headers["x-team"], sent.query["q"]) == (HEADER, QUERY)


async def test_the_walk_would_notice() -> None:
    with pytest.raises(AssertionError, match="the log"):
        _clean(f"a line with {OPERATOR} in it", "the log")
