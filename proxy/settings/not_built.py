"""What the configuration can say and this version cannot do: refused, never silently ignored.

One row per promise. Whoever builds one deletes its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from proxy.settings.faults import Key
from proxy.settings.models import Settings

LIMITS = ("requests_in_flight", "tokens_per_minute", "tokens_per_day", "tokens_per_session")


@dataclass(frozen=True, slots=True)
class NotBuilt:
    """`where` yields the keys that ask for it; `remedy` is what to say instead."""

    where: Callable[[Settings], Iterator[Key]]
    what: str
    remedy: str


def _when(key: Key, asked: Callable[[Settings], bool]) -> Callable[[Settings], Iterator[Key]]:
    def where(settings: Settings) -> Iterator[Key]:
        if asked(settings):
            yield key

    return where


def _limits(settings: Settings) -> Iterator[Key]:
    for index, tenant in enumerate(settings.tenants):
        for limit in LIMITS:
            if getattr(tenant.limits, limit):
                yield ("tenants", index, "limits", limit)


def _state_scheme(settings: Settings) -> str:
    return settings.state.url.get_secret_value().partition("://")[0]


NOT_BUILT = (
    NotBuilt(
        _when(("auth", "mode"), lambda settings: settings.auth.mode == "passthrough"),
        "passthrough",
        "use keys or none",
    ),
    NotBuilt(_limits, "a limit", "set it to 0"),
    NotBuilt(
        _when(("state", "url"), lambda settings: _state_scheme(settings) == "redis+cluster"),
        "redis+cluster://",
        "use redis://, rediss://, unix:// or embedded",
    ),
    NotBuilt(
        _when(("state", "url"), lambda settings: _state_scheme(settings) == "redis+sentinel"),
        "redis+sentinel://",
        "use redis://, rediss://, unix:// or embedded",
    ),
    NotBuilt(
        _when(("artifacts", "url"), lambda settings: settings.artifacts.url.startswith("s3://")),
        "s3://",
        "use a folder",
    ),
    NotBuilt(
        _when(("tracing", "otlp_endpoint"), lambda settings: settings.tracing.otlp_endpoint is not None),
        "tracing",
        "use null",
    ),
    NotBuilt(
        _when(("server", "workers"), lambda settings: settings.server.workers > 1),
        "more than one worker",
        "use 1",
    ),
    NotBuilt(
        _when(("logging", "bodies"), lambda settings: settings.logging.bodies),
        "logging of bodies",
        "use false",
    ),
)


def not_built(settings: Settings) -> Iterator[tuple[Key, str]]:
    """Every key that asks for something not built yet, with what to tell the operator."""
    for row in NOT_BUILT:
        for key in row.where(settings):
            yield key, f"{row.what} is not built yet; {row.remedy}"
