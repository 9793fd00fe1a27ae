"""The model that an audit is for: a name of the configuration, else a row of the catalogue, else none."""

from __future__ import annotations

from proxy.errors import NotFound
from proxy.replay.setup import plain_route
from proxy.settings import ConfigError, Fault, ModelSettings, is_built_in_model, load_with_layers
from proxy.upstream import Route
from proxy.upstream.catalog import Catalog

_ANYWHERE = "http://127.0.0.1:9/v1"  # nothing is sent


def route_for(model: str | None, config: str | None) -> Route | None:
    """What is known of a model; None without one. ConfigError for a name that leads nowhere.

    A configured name beats the catalogue, and the catalogue beats a configured `*`.
    """
    if model is None:
        if config is not None:
            raise ConfigError([Fault("--config", "", "is read for a model's window and prices; name one with --model")])
        return None
    settings, layers = load_with_layers(config)
    named = [one for one in settings.models if one.name != "*"]
    try:
        configured, every = Catalog(named), Catalog(settings.models)
    except ConfigError as error:
        raise layers.located(error.faults) from None
    try:
        return configured.resolve(model)
    except NotFound:
        pass
    try:
        return _listed(model)
    except ConfigError:
        if is_built_in_model(settings):
            raise
    try:
        return every.resolve(model)
    except NotFound as error:
        raise ConfigError([Fault("--model", "", f"{model!r} is neither configured nor provider/model")]) from error


def unknown_model() -> Route:
    """Stands in where no model is named: OpenAI's newer vocabulary, nothing else known."""
    return plain_route(0)


def _listed(model: str) -> Route:
    if not model or model.endswith("*"):
        raise ConfigError([Fault("--model", "", f"{model!r} is no model; write provider/model, e.g. openai/gpt-5")])
    try:
        return Catalog([ModelSettings(name=model, upstream=model, api_base=_ANYWHERE)]).resolve(model)
    except ConfigError as error:
        raise ConfigError(Fault("--model", "", fault.message) for fault in error.faults) from None
