"""The configuration of the demo's proxy: three models of one upstream that differ in their window."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from proxy.demo.figures import CACHE_READ, INPUT, OUTPUT
from proxy.settings import (
    ArtifactsSettings,
    AuthSettings,
    LoggingSettings,
    ModelSettings,
    PriceSettings,
    ServerSettings,
    Settings,
    StateSettings,
)


@dataclass(frozen=True, slots=True)
class DemoModel:
    """A name that agents may ask for, its window, the policy of its requests."""

    name: str
    window: int
    policy: str


ROOMY = DemoModel("demo-32k", 32_000, "default")
TIGHT = DemoModel("demo-10k", 10_000, "default")
LONG = DemoModel("demo-64k", 64_000, "coding")


def demo_settings(upstream_url: str, folder: Path) -> Settings:
    """Free ports on loopback, no keys, everything that is kept below `folder`."""
    return Settings(
        secret=SecretStr("the same locators in every run of the demo"),
        server=ServerSettings(port=0, admin_port=0, shutdown_grace_seconds=1),
        auth=AuthSettings(mode="none"),
        models=tuple(_model(model, upstream_url) for model in (ROOMY, TIGHT, LONG)),
        state=StateSettings(directory=folder / "state"),
        artifacts=ArtifactsSettings(url=str(folder / "artifacts")),
        logging=LoggingSettings(level="warning", format="text"),
    )


def _model(model: DemoModel, upstream_url: str) -> ModelSettings:
    return ModelSettings(
        name=model.name,
        upstream=f"openai/{model.name}",
        api_base=upstream_url,
        api_key=SecretStr("demo"),
        transport="relay",
        window=model.window,
        window_includes_output=True,
        prices=PriceSettings(input=INPUT, output=OUTPUT, cache_read=CACHE_READ),
        policy=model.policy,
    )
