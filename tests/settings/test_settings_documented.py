"""The example and the reference say every key; both fail here when they are stale."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel, SecretStr

from proxy.settings import ModelSettings, PriceSettings, Settings, TenantSettings, WorkspaceSettings, load_settings
from proxy.settings.models import BUILT_IN_MODEL
from proxy.settings.reference import fields, reference

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "config.example.yaml"


def missing(model: type[BaseModel], written: object) -> set[str]:
    assert isinstance(written, dict)
    return set(model.model_fields) ^ set(written)


def test_the_example_holds_the_defaults(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-usual")
    settings = load_settings(str(EXAMPLE))
    shown = Settings(tenants=settings.tenants, models=settings.models)
    assert settings == shown
    assert settings.models[0] == BUILT_IN_MODEL.model_copy(update={"api_key": SecretStr("sk-usual")})


def test_the_examples_tenant_holds_the_defaults(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-usual")
    (tenant,) = load_settings(str(EXAMPLE)).tenants
    assert tenant.model_dump(exclude_defaults=True).keys() == {"name", "key_hashes"}


def test_the_example_names_every_key():
    written = yaml.safe_load(EXAMPLE.read_text())
    assert not missing(Settings, written)
    for section, field in Settings.model_fields.items():
        if isinstance(field.default, BaseModel):
            assert not missing(type(field.default), written[section]), section
    for section, model in (("tenants", TenantSettings), ("models", ModelSettings)):
        assert not missing(model, written[section][0]), section
        for key, field in model.model_fields.items():
            if isinstance(field.default, BaseModel):
                assert not missing(type(field.default), written[section][0][key]), key


@pytest.mark.parametrize("model", [PriceSettings, WorkspaceSettings])
def test_the_example_shows_in_comments_what_is_empty_by_default(model):
    commented = [
        line.strip("# -").partition(":")[0] for line in EXAMPLE.read_text().splitlines() if line.strip().startswith("#")
    ]
    assert set(model.model_fields) <= set(commented)


def test_every_field_is_explained():
    assert [key for key, field in fields(Settings) if not field.description] == []


def test_every_secret_is_kept_out_of_reprs_and_messages():
    shown = [key for key, field in fields(Settings) if "SecretStr" in str(field.annotation) and field.repr]
    assert shown == []


def test_the_reference_is_fresh():
    assert (ROOT / "docs" / "configuration.md").read_text() == reference(), (
        "run python -m proxy.settings.reference > docs/configuration.md"
    )


def test_the_reference_names_every_key_with_its_variable():
    page = reference()
    assert "| `models[].timeouts.idle_seconds` | `300` |" in page
    assert (
        "| `server.port` | `8080` | Port that agents connect to; 0 takes a free one. | `FOREBAY_SERVER__PORT` |" in page
    )
