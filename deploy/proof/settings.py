"""The proxy of the proof: the demo's models, and one for each thing that ought to go wrong."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr

from proxy.demo.config import LONG, ROOMY, TIGHT
from proxy.demo.figures import CACHE_READ, INPUT, OUTPUT
from proxy.keys import hash_key
from proxy.settings import (
    ArtifactsSettings,
    LimitSettings,
    LoggingSettings,
    ModelSettings,
    PoliciesSettings,
    PriceSettings,
    ServerSettings,
    Settings,
    StateSettings,
    TenantSettings,
)

TENANT = "team-a"
KEY = "demo"
"""What the demo's client sends."""
IN_FLIGHT = 8

READER, SUMMED, SUMMARISER, FAILING, SLOW, WINDOWLESS = (
    "reader",
    "summed",
    "summariser",
    "failing",
    "slow",
    "windowless",
)

_SUMMING = f"""
extends: default
history: {{then: summarise}}
summarise: {{model: {SUMMARISER}}}
"""


def proof_settings(demo_url: str, provider_url: str, folder: Path) -> Settings:
    """Free ports on loopback, one tenant with a limit, everything that is kept below `folder`."""
    policies = folder / "policies"
    policies.mkdir()
    (policies / "summing.yaml").write_text(_SUMMING, encoding="utf-8")
    demo = [_model(model.name, demo_url, model.window, model.policy) for model in (ROOMY, TIGHT, LONG)]
    own = [_model(name, provider_url, 32_000) for name in (READER, SUMMARISER, FAILING, SLOW)]
    return Settings(
        secret=SecretStr("the same locators in every run of the proof"),
        server=ServerSettings(port=0, admin_port=0, shutdown_grace_seconds=1),
        tenants=(
            TenantSettings(
                name=TENANT, key_hashes=(hash_key(KEY),), limits=LimitSettings(requests_in_flight=IN_FLIGHT)
            ),
        ),
        models=(
            *demo,
            *own,
            _model(SUMMED, demo_url, 10_000, "summing"),
            _model(WINDOWLESS, demo_url, None),
        ),
        policies=PoliciesSettings(directory=policies),
        state=StateSettings(directory=folder / "state"),
        artifacts=ArtifactsSettings(url=str(folder / "artifacts")),
        logging=LoggingSettings(level="error", format="text"),
    )


def _model(name: str, url: str, window: int | None, policy: str = "default") -> ModelSettings:
    return ModelSettings(
        name=name,
        upstream=f"openai/{name}",
        api_base=url,
        api_key=SecretStr("demo"),
        transport="relay",
        window=window,
        window_includes_output=True,
        prices=PriceSettings(input=INPUT, output=OUTPUT, cache_read=CACHE_READ),
        policy=policy,
    )
