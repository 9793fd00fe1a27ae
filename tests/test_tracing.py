"""Traces as a collector gets them: over OTLP, decoded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.app import Running, running
from proxy.http import keys
from proxy.reloading import reload
from proxy.settings import ConfigError, ModelSettings, TracingSettings
from proxy.settings.load import load_settings
from tests.faults.bench import NO_STORE, an_agent, model, session, settings
from tests.scripted_upstream import DONE, ScriptedUpstream, Stream, chunk, error

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="install the extra: otel")

from tests.otlp_receiver import Collector, Span, collector

SERVER, CLIENT = 2, 3
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
CHAT = "POST /v1/chat/completions"


@dataclass
class Traced:
    """A proxy that traces; what it told is there once it has ended."""

    on: Running
    provider: ScriptedUpstream
    http: ClientSession

    async def ask(self, body: dict[str, Any] | bytes, path: str = "chat/completions", **headers: str) -> int:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        async with self.http.post(
            f"{self.on.url}/v1/{path}", data=data, headers={"content-type": "application/json", **headers}
        ) as answer:
            await answer.read()
            return answer.status


@asynccontextmanager
async def traced(folder: Path, told: Collector, **changes: Any) -> AsyncIterator[Traced]:
    async with ScriptedUpstream() as provider, an_agent() as http:
        row: ModelSettings = model(provider.url, **changes)
        configured = settings(folder, row, state_url=NO_STORE)
        configured = configured.model_copy(update={"tracing": TracingSettings(otlp_endpoint=told.url)})
        async with running(configured) as on:
            yield Traced(on, provider, http)


def asked(**more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "go"}]} | more


def event(span: Span, name: str) -> dict[str, Any]:
    (found,) = [attributes for told, attributes in span.events if told == name]
    return found


async def test_a_completion_is_a_server_span_and_a_call_below_it(tmp_path: Path) -> None:
    async with collector() as told:
        async with traced(tmp_path, told) as proxy:
            assert await proxy.ask(asked()) == 200
        request, call = told.named(CHAT), told.named("chat m")
    assert (request.kind, call.kind) == (SERVER, CLIENT)
    assert (call.trace, call.parent) == (request.trace, request.id)
    assert request.parent == ""
    assert told.resource["service.name"] == "forebay"
    assert request.attributes["http.response.status_code"] == 200
    assert (request.attributes["http.route"], request.attributes["forebay.tenant"]) == ("/v1/chat/completions", "local")
    conventions = {name: value for name, value in call.attributes.items() if name.startswith("gen_ai.")}
    assert conventions.pop("gen_ai.conversation.id")
    assert conventions.pop("gen_ai.usage.input_tokens") > 0
    assert conventions.pop("gen_ai.usage.output_tokens") > 0
    assert conventions == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.usage.cache_read.input_tokens": 0,
        "gen_ai.usage.cache_creation.input_tokens": 0,
    }


async def test_the_plan_is_an_event_of_the_call_and_adds_up(tmp_path: Path) -> None:
    async with collector() as told:
        async with traced(tmp_path, told) as proxy:
            for body in session()[:16]:
                assert await proxy.ask(body) == 200
        calls = [span for span in told.spans if span.name == "chat m"]
    plans = [event(call, "forebay.plan") for call in calls]
    assert len(plans) == 16
    for plan in plans:
        removed = sum(tokens for name, tokens in plan.items() if name.startswith("forebay.removed_tokens."))
        forwarded = plan["forebay.forwarded_tokens"]
        assert plan["forebay.received_tokens"] + plan["forebay.added_tokens"] - removed == forwarded
    assert any(name.startswith("forebay.removed_tokens.") for plan in plans for name in plan)
    assert any(name == "forebay.batch" for call in calls for name, _ in call.events)
    assert ("forebay.degraded", {"forebay.reason": "state"}) in calls[0].events


async def test_the_clients_trace_goes_on_and_upstream(tmp_path: Path) -> None:
    async with collector() as told:
        async with traced(tmp_path, told) as proxy:
            assert await proxy.ask(asked(), traceparent=PARENT, tracestate="vendor=1") == 200
            sent = proxy.provider.requests[0].headers
        request, call = told.named(CHAT), told.named("chat m")
    assert (request.trace, request.parent) == tuple(PARENT.split("-")[1:3])
    assert sent.getall("traceparent") == [f"00-{call.trace}-{call.id}-01"]
    assert sent.getall("tracestate") == ["vendor=1"]
    assert (request.state, call.state) == ("vendor=1", "vendor=1")


async def test_a_client_that_does_not_sample_is_obeyed(tmp_path: Path) -> None:
    async with collector() as told, traced(tmp_path, told) as proxy:
        assert await proxy.ask(asked(), traceparent=PARENT[:-1] + "0") == 200
        assert proxy.provider.requests[0].headers["traceparent"].endswith("-00")
    assert told.spans == []


async def test_a_stream_tells_its_first_chunk(tmp_path: Path) -> None:
    async with collector() as told:
        async with traced(tmp_path, told) as proxy:
            proxy.provider.reply(Stream([chunk({"content": "hi"}), chunk({}, "stop"), DONE]))
            assert await proxy.ask(asked(stream=True)) == 200
        assert told.named("chat m").attributes["gen_ai.response.time_to_first_chunk"] > 0


@pytest.mark.parametrize(("status", "of_ours"), [(429, False), (503, True)])
async def test_an_error_of_the_provider_is_an_error_of_the_call(tmp_path: Path, status: int, of_ours: bool) -> None:
    async with collector() as told:
        async with traced(tmp_path, told) as proxy:
            proxy.provider.reply(error(status))
            assert await proxy.ask(asked()) == status
        request, call = told.named(CHAT), told.named("chat m")
    assert (call.is_error, call.attributes["error.type"]) == (True, str(status))
    assert request.is_error is of_ours


async def test_a_refused_request_has_no_call_and_no_path_as_sent(tmp_path: Path) -> None:
    async with collector() as told:
        async with traced(tmp_path, told) as proxy:
            assert await proxy.ask(asked(model="nobody")) == 404
            async with proxy.http.get(f"{proxy.on.url}/v1/canary-path") as answer:
                assert answer.status == 404
        (request,) = told.spans
    assert (request.name, request.is_error) == (CHAT, False)


async def test_relayed_endpoints_are_traced_too(tmp_path: Path) -> None:
    async with collector() as told:
        async with traced(tmp_path, told) as proxy:
            assert await proxy.ask({"model": "m", "input": "x"}, "embeddings") == 200
        assert told.named("embeddings m").attributes["gen_ai.operation.name"] == "embeddings"


async def test_after_a_reload_requests_are_traced_on(tmp_path: Path) -> None:
    async with collector() as told:
        async with traced(tmp_path, told) as proxy:
            assert await reload(proxy.on.live, lambda: proxy.on.app[keys.SETTINGS])
            assert await proxy.ask(asked()) == 200
        assert told.named("chat m").parent == told.named(CHAT).id


async def test_a_collector_that_is_not_there_costs_no_request(tmp_path: Path) -> None:
    async with traced(tmp_path, Collector(url="http://127.0.0.1:1")) as proxy:
        assert await proxy.ask(asked()) == 200


def test_without_an_endpoint_our_door_to_it_stays_shut() -> None:
    """redis-py looks for OpenTelemetry by itself, so only what we alone would import is looked for."""
    ours = "('proxy.tracing', 'opentelemetry.exporter', 'opentelemetry.sdk.trace')"
    code = f"import sys, proxy.app; print([name for name in sys.modules if name.startswith({ours})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_without_the_extra_an_endpoint_is_a_configuration_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxy.settings.extras.find_spec", lambda _: None)
    path = tmp_path / "config.yaml"
    path.write_text("auth: {mode: none}\ntracing: {otlp_endpoint: 'http://h:4318'}\n")
    with pytest.raises(ConfigError) as caught:
        load_settings(str(path))
    assert "tracing.otlp_endpoint: needs OpenTelemetry, which is not installed; pip install 'forebay[otel]'" in str(
        caught.value
    )
