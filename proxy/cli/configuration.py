"""The configuration of a command that needs all of it: settings, and policies that exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.policy_files import check_summarisers, load_policies
from proxy.settings import ConfigError, Layers, Settings, check_policies, load_with_layers


def load(config: str | None, options: Mapping[str, Mapping[str, Any]] | None = None) -> tuple[Settings, Layers]:
    """Settings whose policies can be read and are all there, and their layers; else ConfigError."""
    settings, layers = load_with_layers(config, options)
    policies = load_policies(settings.policies.directory)
    try:
        check_policies(settings, policies)
        check_summarisers(policies, [model.name for model in settings.models])
    except ConfigError as error:
        raise layers.located(error.faults) from None
    return settings, layers
