"""What an operator can set, where it comes from, and what is refused.

`models.py` is the configuration as data; `load.py` puts file, environment and command line together;
`rules.py` and `not_built.py` refuse what cannot be; `environment.py` is the only reader of the environment.
"""

from __future__ import annotations

from proxy.settings.faults import ConfigError, Fault
from proxy.settings.load import (
    BUILT_IN_KEY_VARIABLE,
    Layers,
    check_policies,
    is_built_in_model,
    load_settings,
    load_with_layers,
)
from proxy.settings.models import (
    ArtifactsSettings,
    AuthSettings,
    LimitSettings,
    LoggingSettings,
    MetricsSettings,
    ModelSettings,
    PoliciesSettings,
    PriceSettings,
    ServerSettings,
    Settings,
    StateSettings,
    TenantSettings,
    TimeoutSettings,
    TracingSettings,
    WorkspaceSettings,
)
from proxy.settings.rules import is_loopback
from proxy.settings.state_secret import check_secret, load_or_create_secret

__all__ = [
    "BUILT_IN_KEY_VARIABLE",
    "ArtifactsSettings",
    "AuthSettings",
    "ConfigError",
    "Fault",
    "Layers",
    "LimitSettings",
    "LoggingSettings",
    "MetricsSettings",
    "ModelSettings",
    "PoliciesSettings",
    "PriceSettings",
    "ServerSettings",
    "Settings",
    "StateSettings",
    "TenantSettings",
    "TimeoutSettings",
    "TracingSettings",
    "WorkspaceSettings",
    "check_policies",
    "check_secret",
    "is_built_in_model",
    "is_loopback",
    "load_or_create_secret",
    "load_settings",
    "load_with_layers",
]
