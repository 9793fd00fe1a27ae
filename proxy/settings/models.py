"""The configuration as data: small frozen models, one per section, every field explained.

A field that must not be shown in messages or reprs says `repr=False`. Rules that span sections are in
`rules.py`; what a later version will do, and this one refuses, is in `not_built.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from proxy.settings.secret_values import Secret
from proxy.settings.values import (
    ArtifactsUrl,
    BaseUrl,
    HeaderName,
    KeyHash,
    ModelName,
    PolicyName,
    Port,
    Reader,
    StateUrl,
    TenantName,
    WorkspaceName,
)


def counts(annotation: Any) -> bool:
    """Whether a field of this type takes a number."""
    if get_origin(annotation) is Literal:
        return False
    return annotation in (int, float) or any(counts(inner) for inner in get_args(annotation))


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _number(cls, value: object, info: ValidationInfo) -> object:
        """YAML reads `yes` as true, and pydantic reads true as 1."""
        if isinstance(value, bool) and counts(cls.model_fields[str(info.field_name)].annotation):
            raise ValueError(f"{str(value).lower()} is no number; give a number")
        return value


class ServerSettings(_Section):
    """Where the proxy listens, and how much it takes in."""

    host: str = Field("127.0.0.1", min_length=1, description="Address that agents connect to.")
    port: Port = Field(8080, description="Port that agents connect to; 0 takes a free one.")
    admin_host: str = Field("127.0.0.1", min_length=1, description="Address for health and metrics.")
    admin_port: Port = Field(8081, description="Port for health and metrics; 0 takes a free one.")
    workers: PositiveInt = Field(1, description="Processes that serve requests.")
    max_body_mb: PositiveInt = Field(64, description="Largest request body, in MiB, inflated.")
    max_bodies_mb: PositiveInt = Field(1024, description="All request bodies in flight together, in MiB.")
    shutdown_grace_seconds: NonNegativeFloat = Field(
        30, description="On shutdown, wait this long for requests in flight."
    )


class AuthSettings(_Section):
    """Who may use the proxy."""

    mode: Literal["keys", "passthrough", "none"] = Field(
        "keys",
        description="keys: agents carry a key of a tenant; passthrough: the agent's own key goes upstream; "
        "none: no key, loopback only (the default where there is neither a file nor a tenant).",
    )
    allow_mode_off: bool = Field(True, description="Whether `x-context-mode: off` is obeyed.")


class LimitSettings(_Section):
    """What a tenant may use; 0 is no limit."""

    requests_in_flight: NonNegativeInt = Field(
        0, description="Requests at the same time, in each process; 0: no limit."
    )
    tokens_per_minute: NonNegativeInt = Field(0, description="Billed input and output in a minute; 0: no limit.")
    tokens_per_day: NonNegativeInt = Field(0, description="Billed input and output in a day (UTC); 0: no limit.")
    tokens_per_session: NonNegativeInt = Field(0, description="Billed input and output of a session; 0: no limit.")
    on_store_failure: Literal["open", "closed"] = Field(
        "open", description="Without the state store, token limits let requests through or refuse them."
    )


class TenantSettings(_Section):
    """A team: its keys, its policies, its limits."""

    name: TenantName = Field(description="1 to 64 of A-Z a-z 0-9 _ . -, a metrics label.")
    key_hashes: tuple[KeyHash, ...] = Field((), repr=False, description="Hashes of its keys, from `forebay keys new`.")
    policy: PolicyName | None = Field(None, description="Policy of its requests; null: the model's.")
    policies: tuple[PolicyName, ...] = Field(
        (), description="Policies that its requests may choose with `x-context-policy`."
    )
    limits: LimitSettings = Field(LimitSettings(), description="What it may use.")


class PriceSettings(_Section):
    """Dollars per million tokens; null where nobody knows."""

    input: NonNegativeFloat | None = Field(None, description="Dollars per million input tokens.")
    output: NonNegativeFloat | None = Field(None, description="Dollars per million output tokens.")
    cache_read: NonNegativeFloat | None = Field(
        None, description="Dollars per million input tokens read from the provider's cache."
    )
    cache_write: NonNegativeFloat | None = Field(
        None, description="Dollars per million input tokens written to the provider's cache."
    )


class TimeoutSettings(_Section):
    """How long an upstream may be silent."""

    connect_seconds: PositiveFloat = Field(10, description="Seconds to wait for a connection.")
    first_byte_seconds: PositiveFloat = Field(600, description="Seconds to wait for the answer to begin.")
    idle_seconds: PositiveFloat = Field(300, description="Seconds of silence within an answer.")


class ModelSettings(_Section):
    """A name that clients ask for, and where it leads."""

    name: ModelName = Field(min_length=1, description='What clients ask for; a trailing * is a prefix, "*" any name.')
    upstream: str = Field(
        min_length=1, description="LiteLLM model string; a * stands for what the * in the name matched."
    )
    api_base: BaseUrl | None = Field(
        None, repr=False, description="Base address of the provider; null: the provider's own."
    )
    api_key: Secret | None = Field(
        None, repr=False, description="Key for the provider (env:NAME, file:PATH or literal); null: none."
    )
    headers: dict[HeaderName, Secret] = Field(
        default_factory=dict,
        repr=False,
        description="Headers added to the upstream request; values like secrets.",
    )
    query: dict[str, Secret] = Field(
        default_factory=dict,
        repr=False,
        description="Query parameters added to the upstream request; values like secrets.",
    )
    transport: Literal["auto", "relay", "litellm"] = Field(
        "auto", description="relay: bytes as they are; litellm: through the SDK; auto: by provider."
    )
    window: PositiveInt | None = Field(None, description="Input tokens; null: from LiteLLM's table.")
    window_includes_output: bool | None = Field(
        None, description="Whether the answer shares the window; null: from the catalogue."
    )
    max_output: PositiveInt | None = Field(None, description="Output tokens; null: from LiteLLM's table.")
    prices: PriceSettings | None = Field(None, description="Dollars per million tokens; null: from LiteLLM's table.")
    token_factor: PositiveFloat = Field(
        1.0, description="Counted tokens times this are the model's own (for other tokenizers)."
    )
    timeouts: TimeoutSettings = Field(TimeoutSettings(), description="How long it may be silent.")
    retries: Annotated[int, Field(ge=0, le=10)] = Field(
        0, description="Tries after a failed one, never after the first byte."
    )
    policy: PolicyName = Field("default", description="Policy where the tenant names none.")


BUILT_IN_MODEL = ModelSettings(name="*", upstream="openai/*")


class PoliciesSettings(_Section):
    """Where policies come from."""

    directory: Path | None = Field(None, description="Folder of extra policy files; null: built-in ones only.")


class StateSettings(_Section):
    """Session records and reports."""

    url: StateUrl = Field(
        SecretStr("embedded"),
        repr=False,
        description="embedded, redis://, rediss://, unix://, redis+cluster:// or redis+sentinel:// "
        "(env:NAME and file:PATH work too).",
    )
    directory: Path = Field(
        Path(".forebay/state"), description="Folder of the embedded store and the generated secret."
    )
    ttl_seconds: PositiveInt = Field(604800, description="Seconds that an unused session is remembered.")
    timeout_ms: PositiveInt = Field(250, description="Milliseconds to wait for the store, then go on without.")

    @property
    def embedded(self) -> bool:
        """Whether the proxy runs its own store."""
        return self.url.get_secret_value() == "embedded"


class ArtifactsSettings(_Section):
    """Originals of what was taken out of a context."""

    url: ArtifactsUrl = Field(
        ".forebay/artifacts",
        min_length=1,
        description="Folder, or s3://bucket/prefix; the rest of its address in ?endpoint=, ?region=, ?path_style= "
        "or AWS_* variables.",
    )
    ttl_seconds: PositiveInt = Field(2592000, description="Seconds that an unused original is kept.")
    max_mb_per_session: PositiveInt = Field(256, description="MiB per session; beyond, nothing new is kept.")
    max_mb_per_tenant: PositiveInt = Field(4096, description="MiB per tenant; beyond, nothing new is kept.")


class WorkspaceSettings(_Section):
    """A folder of source code that the model may look into, read only."""

    name: WorkspaceName = Field(description="Its name; paths begin with it where a tenant has several workspaces.")
    path: Path = Field(description="The folder; no link in it is followed.")
    tenants: tuple[Reader, ...] = Field(
        description='Tenants that may read it; "*" is every one (and all, without keys).'
    )


class MetricsSettings(_Section):
    """Prometheus."""

    enabled: bool = Field(True, description="Whether the admin port serves /metrics.")


class LoggingSettings(_Section):
    """The log on stderr; never a secret in it."""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level written.")
    format: Literal["json", "text"] = Field("json", description="One JSON object per line, or text.")
    bodies: bool = Field(False, description="Whether the first 16 KiB of request and answer bodies are written.")


class TracingSettings(_Section):
    """OpenTelemetry."""

    otlp_endpoint: BaseUrl | None = Field(
        None, repr=False, description="Collector's OTLP/HTTP address, such as http://host:4318; null: no traces."
    )


class Settings(BaseSettings):
    """Everything an operator can set.

    The constructor takes what it is given and reads nothing; `load_settings` puts file, environment and
    command line together and checks what spans sections.
    """

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        allow_inf_nan=False,
        validate_default=False,
        env_prefix="FOREBAY_",
        env_nested_delimiter="__",
        env_parse_none_str="null",
    )

    secret: Secret | None = Field(
        None,
        repr=False,
        description="Keys all digests; null: generated once in the state folder. "
        "Required when state or artifacts are shared.",
    )
    server: ServerSettings = Field(ServerSettings(), description="Where the proxy listens.")
    auth: AuthSettings = Field(AuthSettings(), description="Who may use it.")
    tenants: tuple[TenantSettings, ...] = Field((), description="Teams, with their keys.")
    models: tuple[ModelSettings, ...] = Field(
        (BUILT_IN_MODEL,), description='Models by name; left out: "*" to openai/* with env:OPENAI_API_KEY.'
    )
    policies: PoliciesSettings = Field(PoliciesSettings(), description="Where policies come from.")
    state: StateSettings = Field(StateSettings(), description="Session records and reports.")
    artifacts: ArtifactsSettings = Field(ArtifactsSettings(), description="Originals of what was taken out.")
    workspaces: tuple[WorkspaceSettings, ...] = Field((), description="Folders for code_symbol.")
    metrics: MetricsSettings = Field(MetricsSettings(), description="Prometheus.")
    logging: LoggingSettings = Field(LoggingSettings(), description="The log on stderr.")
    tracing: TracingSettings = Field(TracingSettings(), description="OpenTelemetry.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what the constructor is given: `load_settings` orders the layers where they can be seen."""
        return (init_settings,)
