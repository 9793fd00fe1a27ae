"""Defaults, file, environment, options: the later wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.settings import ConfigError, Settings, is_built_in_model, load_settings

HASH = "sha256:" + "ab" * 32
TENANTS = f'[{{"name": "a", "key_hashes": ["{HASH}"]}}]'


def test_without_a_file_nobody_needs_a_key_and_everything_goes_to_openai():
    settings = load_settings()
    assert settings.auth.mode == "none"
    assert settings.server.host == "127.0.0.1"
    assert [(model.name, model.upstream, model.policy) for model in settings.models] == [("*", "openai/*", "default")]


def test_without_a_file_the_usual_variable_holds_the_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-usual")
    key = load_settings().models[0].api_key
    assert key is not None
    assert key.get_secret_value() == "sk-usual"


def test_without_a_file_the_usual_variable_may_be_missing():
    settings = load_settings()
    assert settings.models[0].api_key is None
    assert is_built_in_model(settings)


def test_tenants_from_the_environment_switch_keys_on_without_a_file(monkeypatch):
    monkeypatch.setenv("FOREBAY_TENANTS", TENANTS)
    assert load_settings().auth.mode == "keys"


def test_with_a_file_the_mode_is_keys():
    Path("f.yaml").write_text("server: {port: 1}\n")
    with pytest.raises(ConfigError, match=r"^f.yaml: auth.mode: keys needs a tenant with a key; run `forebay keys new"):
        load_settings("f.yaml")


def test_an_empty_file_is_a_file():
    Path("f.yaml").write_text("")
    with pytest.raises(ConfigError, match="keys needs a tenant"):
        load_settings("f.yaml")


def test_an_option_beats_the_environment_which_beats_the_file_which_beats_the_default(load, monkeypatch):
    sections = {"server": {"port": 1, "admin_port": 2, "max_body_mb": 3}}
    load(**sections)
    monkeypatch.setenv("FOREBAY_SERVER__PORT", "11")
    monkeypatch.setenv("FOREBAY_SERVER__ADMIN_PORT", "12")
    server = load_settings("f.yaml", {"server": {"port": 21}}).server
    assert (server.port, server.admin_port, server.max_body_mb, server.max_bodies_mb) == (21, 12, 3, 1024)


def test_config_yaml_in_the_folder_is_read():
    Path("config.yaml").write_text("auth: {mode: none}\nserver: {port: 7}\n")
    assert load_settings().server.port == 7


def test_a_named_file_beats_the_variable_which_beats_the_folder(monkeypatch):
    for port, name in ((7, "config.yaml"), (8, "named.yaml"), (9, "option.yaml")):
        Path(name).write_text(f"auth: {{mode: none}}\nserver: {{port: {port}}}\n")
    monkeypatch.setenv("FOREBAY_CONFIG", "named.yaml")
    assert load_settings().server.port == 8
    assert load_settings("option.yaml").server.port == 9


def test_a_list_in_the_environment_replaces_the_files(load, monkeypatch):
    monkeypatch.setenv("FOREBAY_MODELS", '[{"name": "b", "upstream": "openai/b"}]')
    settings = load(models=[{"name": "a", "upstream": "openai/a"}, {"name": "c", "upstream": "openai/c"}])
    assert [model.name for model in settings.models] == ["b"]


def test_a_section_in_the_environment_is_json_and_leaves_other_keys_alone(load, monkeypatch):
    monkeypatch.setenv("FOREBAY_SERVER", '{"port": 5}')
    server = load(server={"port": 1, "admin_port": 2}).server
    assert (server.port, server.admin_port) == (5, 2)


def test_null_in_the_environment_is_null(load, monkeypatch):
    monkeypatch.setenv("FOREBAY_POLICIES__DIRECTORY", "null")
    assert load(policies={"directory": "/somewhere"}).policies.directory is None


def test_the_constructor_reads_no_environment(monkeypatch):
    monkeypatch.setenv("FOREBAY_SERVER__PORT", "11")
    assert Settings().server.port == 8080


def test_settings_are_frozen():
    with pytest.raises(ValueError, match="frozen"):
        Settings().server.port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FOREBAY_SERVICE_HOST", "10.0.0.1"),
        ("FOREBAY_SERVICE_PORT", "8080"),
        ("FOREBAY_SERVICE_PORT_HTTP", "8080"),
        ("FOREBAY_PORT", "tcp://10.0.0.1:8080"),
        ("FOREBAY_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
        ("FOREBAY_PORT_8080_TCP_ADDR", "10.0.0.1"),
        ("FOREBAY_ADMIN_SERVICE_HOST", "10.0.0.1"),
    ],
)
def test_what_kubernetes_adds_for_a_service_is_no_mistake(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert load_settings() == Settings(auth={"mode": "none"})
