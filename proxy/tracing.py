"""Traces over OTLP: the one door to OpenTelemetry, an optional extra.

A request is a span of kind server; its call of a provider is a span of kind client below it, with the names of the
GenAI semantic conventions, and what was done to the context is told as events of that span. No text of a message, no
key and no path as sent is in any of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from proxy.http.told import Told
from proxy.upstream import Route
from proxy.version import VERSION

TRACES_PATH = "/v1/traces"
_EXPORT_SECONDS = 5.0
_PROVIDERS = {
    "anthropic": "anthropic",
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""LiteLLM's names of providers as the conventions have them, where they differ."""

_propagator = TraceContextTextMapPropagator()


class OtelTrace:
    """One request: its span and, once the provider is called, that call's."""

    def __init__(self, tracer: trace.Tracer, method: str, route: str, headers: Mapping[str, str]) -> None:
        self._tracer = tracer
        lower = {name.lower(): value for name, value in headers.items() if name.lower() in _propagator.fields}
        self._span = tracer.start_span(
            f"{method} {route}",
            context=_propagator.extract(lower),
            kind=trace.SpanKind.SERVER,
            attributes={"http.request.method": method, "http.route": route},
        )
        self._call: trace.Span | None = None

    def call(self, operation: str, route: Route) -> Mapping[str, str]:
        """The upstream call begins; the headers by which the trace goes on there."""
        self._call = self._tracer.start_span(
            f"{operation} {route.model}",
            context=trace.set_span_in_context(self._span),
            kind=trace.SpanKind.CLIENT,
            attributes={
                "gen_ai.operation.name": operation,
                "gen_ai.provider.name": _PROVIDERS.get(route.provider, route.provider),
                "gen_ai.request.model": route.model,
            },
        )
        headers: dict[str, str] = {}
        _propagator.inject(headers, trace.set_span_in_context(self._call))
        return headers

    def end(self, status: int, request_id: str, tenant: str | None, facts: Told) -> None:
        """The request is over."""
        self._span.set_attribute("forebay.request_id", request_id)
        if tenant is not None:
            self._span.set_attribute("forebay.tenant", tenant)
        told_at = self._call or self._span
        for name, attributes in _events(facts):
            told_at.add_event(name, attributes)
        if self._call is not None:
            self._call.set_attributes(_answered(facts))
        for span in filter(None, (self._call, self._span)):
            span.set_attribute("http.response.status_code", status)
            if status >= 500 or (span is self._call and status >= 400):
                span.set_attribute("error.type", str(status))
                span.set_status(trace.StatusCode.ERROR)
            span.end()


class OtelTracer:
    """Begins traces of this process."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("forebay", VERSION)

    def begin(self, method: str, route: str, headers: Mapping[str, str]) -> OtelTrace:
        """A request came; the client's trace goes on, if its headers hold one."""
        return OtelTrace(self._tracer, method, route, headers)


@asynccontextmanager
async def opened(endpoint: str) -> AsyncIterator[OtelTracer]:
    """Spans go to the collector in batches, from a thread; what it does not take is lost, and no request waits."""
    address = endpoint if endpoint.rstrip("/").endswith(TRACES_PATH) else endpoint.rstrip("/") + TRACES_PATH
    provider = TracerProvider(
        resource=Resource.create({"service.name": "forebay", "service.version": VERSION}), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(address, timeout=_EXPORT_SECONDS)))
    try:
        yield OtelTracer(provider)
    finally:
        await asyncio.to_thread(provider.shutdown)


def _answered(facts: Told) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    if facts.exchange is not None:
        attributes["gen_ai.conversation.id"] = facts.exchange.session
    if (usage := facts.usage) is not None:
        attributes |= {
            "gen_ai.usage.input_tokens": usage.input_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
            "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
        }
    if facts.first_byte_seconds is not None and facts.overhead_seconds is not None:
        attributes["gen_ai.response.time_to_first_chunk"] = facts.first_byte_seconds - facts.overhead_seconds
    return attributes


def _events(facts: Told) -> Iterator[tuple[str, dict[str, Any]]]:
    """What was done to the context, and what was missing."""
    if facts.exchange is not None:
        edited = facts.exchange.edited
        report = edited.plan.report
        yield (
            "forebay.plan",
            {
                "forebay.policy": facts.exchange.policy,
                "forebay.mode": edited.mode,
                "forebay.received_tokens": report.received,
                "forebay.added_tokens": report.added,
                "forebay.forwarded_tokens": report.forwarded,
                "forebay.compacted_turns": report.compacted_turns,
                **{f"forebay.removed_tokens.{by}": tokens for by, tokens in report.removed.items()},
            },
        )
        for reason in edited.decided.new_batches:
            yield "forebay.batch", {"forebay.reason": reason}
    for missing in facts.degraded:
        yield "forebay.degraded", {"forebay.reason": missing}
