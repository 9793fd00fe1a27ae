"""`forebay check`: is this configuration usable, and what does it amount to?"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from proxy.cli.configuration import load
from proxy.cli.parser import Commands, add_config
from proxy.settings import (
    BUILT_IN_KEY_VARIABLE,
    ConfigError,
    Layers,
    LimitSettings,
    ModelSettings,
    Settings,
    check_secret,
    is_built_in_model,
)
from proxy.upstream import Prices, Route

EXAMPLE_HASH = "sha256:" + "0" * 64  # in config.example.yaml


def add_to(commands: Commands) -> None:
    """The command and its option."""
    parser = commands.add_parser(
        "check",
        help="validate the configuration and print what it amounts to",
        description="Validate the configuration; print models, tenants and stores, secrets masked. "
        "Exit 2 and the exact key on an error.",
        epilog="example: forebay check --config forebay.yaml",
    )
    add_config(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the whole of it, or raise ConfigError before the first line."""
    settings, layers = load(arguments.config)
    routes = resolve(settings, layers)
    try:
        check_secret(settings)
    except ConfigError as error:
        raise layers.located(error.faults) from None
    for line in report(settings, routes, layers):
        print(line)
    return 0


def resolve(settings: Settings, layers: Layers) -> list[Route]:
    """One route per model. ConfigError names the model whose upstream leads nowhere."""
    from proxy.upstream.catalog import Catalog  # noqa: PLC0415 -- heavy: LiteLLM's table of models

    try:
        Catalog(settings.models)
    except ConfigError as error:
        raise layers.located(error.faults) from None
    # each by itself, so that a name made up for a prefix leads to that prefix and to no longer one
    return [Catalog([model]).resolve(_sample(model)) for model in settings.models]


def _sample(model: ModelSettings) -> str:
    return f"{model.name[:-1]}any" if model.name.endswith("*") else model.name


def report(settings: Settings, routes: Sequence[Route], layers: Layers) -> Iterator[str]:
    """The lines that an operator reads."""
    server = settings.server
    yield f"configuration  {layers.path or 'built-in defaults (no file)'}"
    yield f"listens on     {server.host}:{server.port}, admin {server.admin_host}:{server.admin_port}"
    yield f"auth           {settings.auth.mode}"
    yield f"state          {_state(settings)}"
    yield f"artifacts      {settings.artifacts.url}"
    yield f"secret         {'configured' if settings.secret else f'in {settings.state.directory}/secret'}"
    yield ""
    yield from _models(settings, routes)
    yield ""
    yield from _tenants(settings)
    yield from _nobodys_keys(settings)
    for index, route in enumerate(routes):
        if route.window is None and not settings.models[index].name.endswith("*"):
            remedy = f"set models.{index}.window"
            yield f"warning: models.{index}: the window of {route.sdk_model} is unknown, so nothing is edited; {remedy}"


def _nobodys_keys(settings: Settings) -> Iterator[str]:
    for index, tenant in enumerate(settings.tenants):
        for position, key_hash in enumerate(tenant.key_hashes):
            if key_hash == EXAMPLE_HASH:
                where = f"tenants.{index}.key_hashes.{position}"
                remedy = f"run `forebay keys new --tenant {tenant.name}`"
                yield f"warning: {where}: this hash is the example's and belongs to no key; {remedy}"


def _models(settings: Settings, routes: Sequence[Route]) -> Iterator[str]:
    heads = ("model", "upstream", "transport", "window", "output", "$/M in/out/read/write", "policy", "key")
    rows = [
        (
            model.name,
            model.upstream,
            route.transport,
            _tokens(route.window, model),
            _tokens(route.max_output, model),
            _prices(route.prices, model),
            model.policy,
            _key(settings, model),
        )
        for model, route in zip(settings.models, routes, strict=True)
    ]
    yield from table(heads, rows)


def _tenants(settings: Settings) -> Iterator[str]:
    if not settings.tenants:
        yield "tenants        none"
        return
    rows = [
        (
            tenant.name,
            str(len(tenant.key_hashes)),
            tenant.policy or "the model's",
            ", ".join(tenant.policies) or "-",
            _limits(tenant.limits),
        )
        for tenant in settings.tenants
    ]
    yield from table(("tenant", "keys", "policy", "may choose", "limits"), rows)


def _limits(limits: LimitSettings) -> str:
    """Those that are set; without the store, token limits let through what they cannot count unless closed."""
    told = {
        "in flight": limits.requests_in_flight,
        "tokens/min": limits.tokens_per_minute,
        "tokens/day": limits.tokens_per_day,
        "tokens/session": limits.tokens_per_session,
    }
    found = [f"{most:,} {name}" for name, most in told.items() if most]
    return ", ".join([*found, *(["closed without store"] if limits.on_store_failure == "closed" else [])]) or "none"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their widest cell."""
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]
    for row in (heads, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _tokens(count: int | None, model: ModelSettings) -> str:
    if count is None:
        return "by model" if model.name.endswith("*") else "unknown"
    return f"{count:,}"


def _prices(prices: Prices, model: ModelSettings) -> str:
    values = (prices.input, prices.output, prices.cache_read, prices.cache_write)
    if all(value is None for value in values):
        return "by model" if model.name.endswith("*") else "unknown"
    return "/".join("-" if value is None else f"{value:g}" for value in values)


def _key(settings: Settings, model: ModelSettings) -> str:
    if settings.auth.mode == "passthrough":
        return "the client's"
    if model.api_key is not None:
        return "set"
    return f"missing (env {BUILT_IN_KEY_VARIABLE})" if is_built_in_model(settings) else "none"


def _state(settings: Settings) -> str:
    if settings.state.embedded:
        return f"embedded in {settings.state.directory}"
    return masked(settings.state.url.get_secret_value())


def masked(url: str) -> str:
    """A store's address without user, password and parameters."""
    scheme, _, rest = url.partition("://")
    if "@" in rest.partition("?")[2]:
        return f"{scheme}://***"
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"
