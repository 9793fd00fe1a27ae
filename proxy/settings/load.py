"""From layers to Settings: built-in defaults, file, environment, command line; the later wins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from proxy.settings.environment import (
    CONFIG_VARIABLE,
    legal_variables,
    read_environment,
    variable,
    variable_behind,
)
from proxy.settings.faults import ConfigError, Fault, Key, dotted, key_of
from proxy.settings.invalid import explain
from proxy.settings.models import BUILT_IN_MODEL, Settings
from proxy.settings.not_built import not_built
from proxy.settings.rules import broken, unknown_policies
from proxy.settings.yaml_file import read_yaml

DEFAULT_FILE = "config.yaml"
BUILT_IN_KEY_VARIABLE = "OPENAI_API_KEY"

Layer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Layers:
    """What each source said, kept so that a fault can name where its value came from."""

    path: Path | None
    file: Layer
    environment: Layer
    options: Layer

    def merged(self) -> Layer:
        """One mapping; a list is replaced as a whole."""
        return _merge(_merge(self.file, self.environment), self.options)

    def origin(self, key: Key) -> str:
        """The option, variable or file that a value came from."""
        if _depth(self.options, key) == len(key):
            return f"--{key[-1]}"
        if _depth(self.environment, key) >= max(_depth(self.file, key), 1):
            return variable_behind(key, legal_variables(Settings)) or "environment"
        return str(self.path) if self.path else "configuration"

    def located(self, faults: Iterable[Fault]) -> ConfigError:
        """Faults that were found later, by who knows the key only, with the place that each came from."""
        return ConfigError(replace(fault, origin=fault.origin or self.origin(key_of(fault.key))) for fault in faults)


def load_settings(config: str | None = None, options: Mapping[str, Mapping[str, Any]] | None = None) -> Settings:
    """The settings of this process, or ConfigError with one line per fault.

    `config` is a file's path, else `FOREBAY_CONFIG`, else `./config.yaml` if present. `options` are sections
    with values from the command line, which beat everything.
    """
    settings, _ = load_with_layers(config, options)
    return settings


def load_with_layers(
    config: str | None = None, options: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[Settings, Layers]:
    """As `load_settings`, with the layers to locate what later checks find."""
    path, origin = _file(config)
    file = read_yaml(path, origin) if path else {}
    given = {section: dict(values) for section, values in (options or {}).items() if values}
    layers = Layers(path, file, read_environment(Settings), given)
    try:
        settings = Settings(**_with_defaults(layers))
    except ValidationError as error:
        raise ConfigError(
            Fault(layers.origin(key), dotted(key), message) for key, message in explain(error, Settings)
        ) from None
    faults = [
        Fault(layers.origin(key), dotted(key), message) for key, message in (*not_built(settings), *broken(settings))
    ]
    if faults:
        raise ConfigError(faults)
    return settings, layers


def check_policies(settings: Settings, known: Collection[str]) -> None:
    """ConfigError if a tenant or model refers to a policy that is not in `known`."""
    faults = [Fault("", dotted(key), message) for key, message in unknown_policies(settings, known)]
    if faults:
        raise ConfigError(faults)


def is_built_in_model(settings: Settings) -> bool:
    """Whether no model was configured, so that everything goes to OpenAI with the usual variable's key."""
    return len(settings.models) == 1 and settings.models[0].model_copy(update={"api_key": None}) == BUILT_IN_MODEL


def _file(config: str | None) -> tuple[Path | None, str]:
    """The file to read, and the option or variable that named it."""
    if config is not None:
        return Path(config), "--config"
    named = variable(CONFIG_VARIABLE)
    if named is not None:
        return Path(named), CONFIG_VARIABLE
    present = Path(DEFAULT_FILE)
    return (present, "") if present.is_file() else (None, "")


def _with_defaults(layers: Layers) -> Layer:
    """Defaults that depend on what was given.

    No file and no tenant: no keys, so that a first try needs none. No models: OpenAI's, with its usual
    variable if that is set (a key that was asked for explicitly must exist; this one may be missing).
    """
    values = layers.merged()
    if layers.path is None and not values.get("tenants"):
        values = _merge({"auth": {"mode": "none"}}, values)
    if "models" not in values:
        key = f"env:{BUILT_IN_KEY_VARIABLE}" if variable(BUILT_IN_KEY_VARIABLE) else None
        values["models"] = [{"name": "*", "upstream": "openai/*", "api_key": key}]
    return values


def _merge(below: Layer, above: Layer) -> Layer:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        merged[key] = _merge(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged


def _depth(layer: object, key: Key) -> int:
    """How many parts of a key a layer holds."""
    for depth, part in enumerate(key):
        match layer:
            case dict() if part in layer:
                layer = layer[part]
            case list() if isinstance(part, int) and part < len(layer):
                layer = layer[part]
            case _:
                return depth
    return len(key)
