"""What needs a package that is installed only on request: told before anything starts."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from proxy.settings.faults import Key
from proxy.settings.models import Settings


def missing_extras(settings: Settings) -> Iterator[tuple[Key, str]]:
    """Every key that asks for a package that is not there, with how to get it."""
    if settings.tracing.otlp_endpoint is not None and not is_installed("opentelemetry.exporter.otlp.proto.http"):
        yield (
            ("tracing", "otlp_endpoint"),
            "needs OpenTelemetry, which is not installed; pip install 'forebay[otel]', or set null",
        )


def is_installed(module: str) -> bool:
    """Whether it could be imported; its packages are, it is not."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
