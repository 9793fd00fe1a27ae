"""The catalogue: from the name that a client asks for to the route that leads to the model.

An exact name beats the longest prefix, which beats `*`. What a client writes chooses the model's name and never
the host or the provider: those come from the configuration, before the `*` is filled in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from proxy.errors import NotFound
from proxy.settings.faults import ConfigError, Fault
from proxy.settings.models import ModelSettings
from proxy.upstream import Prices, Route, Timeouts
from proxy.upstream.providers import PROVIDERS, speaks_openai
from proxy.upstream.table import Table, encoding_of

_LONGEST_NAME = 256
# LiteLLM puts model names into paths and reads regions and addresses out of them; a relay only into the body.
_SDK_NAME = re.compile(r"(?!arn:)[A-Za-z0-9][A-Za-z0-9._:@+-]*")


@dataclass(frozen=True, slots=True)
class _Row:
    settings: ModelSettings
    provider: str
    model: str
    transport: Literal["relay", "litellm"]
    base_url: str | None


class Catalog:
    """The configured models. Raises ConfigError for a row that leads nowhere."""

    def __init__(self, models: Sequence[ModelSettings]) -> None:
        self._table = Table()
        rows = [self._row(index, settings) for index, settings in enumerate(models)]
        self._exact = {row.settings.name: row for row in rows if not row.settings.name.endswith("*")}
        self._prefixes = sorted(
            (row for row in rows if row.settings.name.endswith("*")), key=lambda row: -len(row.settings.name)
        )
        self._rows = rows
        self._route = lru_cache(maxsize=1024)(self._build)

    def names(self) -> list[str]:
        """The configured names, in the order of the configuration."""
        return [row.settings.name for row in self._rows]

    @property
    def needs_sdk(self) -> bool:
        """Whether any model is reached through LiteLLM, which takes seconds to import."""
        return any(row.transport == "litellm" for row in self._rows)

    def resolve(self, name: str) -> Route:
        """The route behind a name; NotFound for one that is not configured, or that cannot be a name."""
        row = self._find(name)
        if row is None:
            raise NotFound(
                f"model {_shown(name)} is not configured; GET /v1/models lists the models",
                param="model",
                code="model_not_found",
            )
        return self._route(name, row.settings.name)

    def label(self, name: str) -> str:
        """The configured name behind a name, for metrics; `other` where there is none."""
        row = self._find(name)
        return row.settings.name if row else "other"

    def _find(self, name: str) -> _Row | None:
        exact = self._exact.get(name)
        if exact is not None or not name or len(name) > _LONGEST_NAME or not name.isprintable() or ".." in name:
            return exact
        for row in self._prefixes:
            prefix = row.settings.name[:-1]
            if name.startswith(prefix):
                return row if _fits(row, name[len(prefix) :]) else None
        return None

    def _build(self, name: str, configured: str) -> Route:
        row = self._exact.get(name) or next(row for row in self._prefixes if row.settings.name == configured)
        settings = row.settings
        model = row.model.replace("*", name[len(configured) - 1 :])
        facts = self._table.facts(row.provider, model)
        includes = settings.window_includes_output
        return Route(
            name=configured,
            sdk_model=f"{row.provider}/{model}",
            model=model,
            provider=row.provider,
            transport=row.transport,
            base_url=row.base_url,
            api_key=settings.api_key,
            headers={key: value.get_secret_value() for key, value in settings.headers.items()},
            query={key: value.get_secret_value() for key, value in settings.query.items()},
            window=settings.window or facts.window,
            window_includes_output=facts.window_includes_output if includes is None else includes,
            max_output=settings.max_output or facts.max_output,
            prices=facts.prices if settings.prices is None else Prices(**settings.prices.model_dump()),
            encoding=encoding_of(model),
            token_factor=settings.token_factor,
            timeouts=Timeouts(
                connect=settings.timeouts.connect_seconds,
                first_byte=settings.timeouts.first_byte_seconds,
                idle=settings.timeouts.idle_seconds,
            ),
            retries=settings.retries,
            policy=settings.policy,
        )

    def _row(self, index: int, settings: ModelSettings) -> _Row:
        try:
            provider, model = self._split(settings)
            transport = _transport(settings, provider)
            base_url = _address(settings, provider) if transport == "relay" else settings.api_base
        except ValueError as error:
            raise ConfigError([Fault("", f"models.{index}", f"{settings.name!r} {error}")]) from None
        return _Row(settings, provider, model, transport, base_url)

    def _split(self, settings: ModelSettings) -> tuple[str, str]:
        upstream = settings.upstream
        if "*" in upstream and not settings.name.endswith("*"):
            raise ValueError(f"has no * for the one in upstream {upstream!r}; write the model's name there")
        provider, slash, model = upstream.partition("/")
        if slash and "*" not in provider and (provider in self._table.providers or settings.transport == "relay"):
            return provider, model
        known = self._table.provider_of(upstream)
        if known is None:
            raise ValueError(f"has no known provider in upstream {upstream!r}; write provider/model, e.g. openai/gpt-5")
        return known, upstream


def _transport(settings: ModelSettings, provider: str) -> Literal["relay", "litellm"]:
    chosen = settings.transport
    if chosen == "auto":
        chosen = "relay" if speaks_openai(provider) else "litellm"
    if chosen == "litellm" and set(settings.query) - ({"api-version"} if provider == "azure" else set()):
        raise ValueError("has a query, which LiteLLM cannot send; use transport relay, or api-version for azure alone")
    return chosen


def _address(settings: ModelSettings, provider: str) -> str:
    known = PROVIDERS[provider].base_url if speaks_openai(provider) else None
    address = settings.api_base or known
    if address is None:
        raise ValueError(f"has no known address for {provider!r}; set api_base, e.g. https://host/v1")
    return address


def _fits(row: _Row, matched: str) -> bool:
    return row.transport == "relay" or "*" not in row.model or bool(_SDK_NAME.fullmatch(matched))


def _shown(name: str) -> str:
    return ascii(name if len(name) <= 80 else name[:80] + "...")
