"""What the command line asks for, turned into the terms of a replay; what cannot be is told in one line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from policies.terms import CachePrices
from proxy.bill import cache_prices
from proxy.policy_files import load_policies
from proxy.replay.setup import PRICES, WINDOW, Setup, plain_route
from proxy.settings import ConfigError, Fault, ModelSettings
from proxy.settings.faults import suggest
from proxy.upstream import Route
from proxy.upstream.catalog import Catalog


def setup_for(
    policy: str,
    directory: Path | None = None,
    model: str | None = None,
    window: int | None = None,
    prices: CachePrices | None = None,
) -> Setup:
    """The terms; ConfigError for a policy or model that is not there, or a model whose window nobody knows.

    Without a model: the standard window and prices of `setup.py`. With one: its own, each of which `window` and
    `prices` replace.
    """
    policies = load_policies(directory)
    if policy not in policies:
        raise ConfigError([Fault("--policy", "", f"there is no policy {policy!r}{suggest(policy, list(policies))}")])
    if model is None:
        return Setup(policy, policies, plain_route(window or WINDOW), prices or PRICES)
    route = _route(model)
    if window is None and route.window is None:
        raise ConfigError([Fault("--model", "", f"the window of {model!r} is unknown; state it with --window")])
    return Setup(policy, policies, replace(route, window=window or route.window), prices or cache_prices(route.prices))


def _route(model: str) -> Route:
    """The catalogue's row. Nothing is sent, so any address does where the provider has none of its own."""
    if not model or model.endswith("*"):
        raise ConfigError([Fault("--model", "", f"{model!r} is no model; write provider/model, e.g. openai/gpt-5")])
    try:
        return Catalog([ModelSettings(name=model, upstream=model, api_base="http://127.0.0.1:9/v1")]).resolve(model)
    except ConfigError as error:
        raise ConfigError(Fault("--model", "", fault.message) for fault in error.faults) from None
