"""The way to the models: one interface, two transports.

`catalog.py` turns a model's name into a route, `relay.py` moves bytes, `sdk.py` speaks through
LiteLLM. Nobody else knows which of the two answers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens; None where the table does not say."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds to wait for a connection, for the first byte, and between bytes."""

    connect: float = 10
    first_byte: float = 600
    idle: float = 300


@dataclass(frozen=True, slots=True)
class Route:
    """Where one model name leads, and what the catalogue knows of the model behind it.

    `name` is the configured name (a metrics label), `sdk_model` LiteLLM's model string, `model` what the
    provider itself calls it. `window` is in the model's own tokens, None where nobody knows.
    """

    name: str
    sdk_model: str
    model: str
    provider: str
    transport: Literal["relay", "litellm"]
    base_url: str | None
    api_key: SecretStr | None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    window: int | None = None
    window_includes_output: bool = True
    max_output: int | None = None
    prices: Prices = Prices()
    encoding: Literal["o200k_base", "cl100k_base"] = "o200k_base"
    token_factor: float = 1.0
    timeouts: Timeouts = Timeouts()
    retries: int = 0
    policy: str = "default"


@dataclass(frozen=True, slots=True)
class UpstreamCall:
    """One request on its way out: `body` is final, its `model` already the provider's name.

    `path` stands below the base URL. `headers` are the client's, unfiltered: each transport passes on
    what `headers.py` says. `stream` says what the body asks for.
    """

    route: Route
    body: bytes
    headers: Mapping[str, str]
    stream: bool
    method: str = "POST"
    path: str = "chat/completions"


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider says it counted; `input_tokens` holds the cached ones too."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class Answer(Protocol):
    """A provider's answer as it arrives.

    `headers` are those that may reach the client (content-type and those that `headers.py` lists).
    `chunks()` yields the body once; for an event stream its events come as the provider sends them.
    `usage` is known, if at all, after the last chunk.
    """

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def is_event_stream(self) -> bool: ...
    @property
    def usage(self) -> Usage | None: ...
    def chunks(self) -> AsyncIterator[bytes]: ...


class Upstream(Protocol):
    """Opens calls. Leaving the context closes the connection, so that the provider stops at once.

    `open` raises UpstreamError or UpstreamTimeout before the first byte; `chunks()` raises them after it.
    A provider's own error status is an answer like any other.
    """

    def open(self, call: UpstreamCall) -> AbstractAsyncContextManager[Answer]: ...
