"""Every fault in one line: file or variable, exact key, what is wrong, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.settings import ConfigError, load_settings

MODEL = {"name": "m", "upstream": "openai/m"}


def refused(config: str | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        load_settings(config)
    return str(caught.value)


def test_an_unknown_key_is_named_exactly_with_what_was_meant(faults):
    lines = faults(models=[MODEL | {"timeouts": {"idle_secnds": 3}}])
    assert lines == ["f.yaml: models.0.timeouts.idle_secnds: unknown key; did you mean idle_seconds?"]


def test_an_unknown_key_like_no_other_is_told_what_there_is(faults):
    assert faults(metrics={"zzz": 1}) == ["f.yaml: metrics.zzz: unknown key; known are enabled"]


def test_an_unknown_section_is_an_error(faults):
    assert faults(servr={}) == ["f.yaml: servr: unknown key; did you mean server?"]


def test_a_wrong_value_is_named_with_the_default(faults):
    (line,) = faults(models=[MODEL | {"timeouts": {"idle_seconds": "soon"}}])
    assert line.startswith("f.yaml: models.0.timeouts.idle_seconds: 'soon' should be a valid number")
    assert line.endswith("; the default is 300")


def test_a_missing_key_is_named_with_its_meaning(faults):
    (line,) = faults(models=[{"name": "m"}])
    assert line.startswith("f.yaml: models.0.upstream: is required: LiteLLM model string")


def test_every_fault_has_its_line(faults):
    assert len(faults(server={"port": "x", "wrkers": 1}, logging={"level": "loud"})) == 3


@pytest.mark.parametrize("value", [None, "text", [1]])
def test_a_section_that_is_no_mapping_is_an_error(faults, value):
    assert faults(server=value) == ["f.yaml: server: should be a mapping of keys to values"]


def test_an_infinite_time_out_is_an_error(faults):
    (line,) = faults(models=[MODEL | {"timeouts": {"idle_seconds": float("inf")}}])
    assert "models.0.timeouts.idle_seconds: inf should be a finite number" in line


def test_a_wrong_value_from_the_environment_names_the_variable(monkeypatch):
    monkeypatch.setenv("FOREBAY_SERVER__PORT", "soon")
    assert refused().startswith("FOREBAY_SERVER__PORT: server.port: 'soon' should be a valid integer")


def test_a_wrong_value_in_json_names_the_variable_and_the_key(monkeypatch):
    monkeypatch.setenv("FOREBAY_MODELS", '[{"name": "m", "upstream": "x", "windw": 3}]')
    assert refused() == "FOREBAY_MODELS: models.0.windw: unknown key; did you mean window?"


def test_a_value_that_is_not_json_names_the_variable(monkeypatch):
    monkeypatch.setenv("FOREBAY_MODELS", "[{CANARY")
    message = refused()
    assert message.startswith("FOREBAY_MODELS: is not JSON (")
    assert "CANARY" not in message


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("FOREBAY_SERVER__PROT", "FOREBAY_SERVER__PORT"),
        ("FOREBAY_PORT", "FOREBAY_SERVER__PORT"),
        ("FOREBAY_SERVER_PORT", "FOREBAY_SERVER__PORT"),
        ("FOREBAY_SECRETS", "FOREBAY_SECRET"),
    ],
)
def test_an_unknown_variable_is_an_error_with_what_was_meant(monkeypatch, name, meant):
    monkeypatch.setenv(name, "1")
    assert refused() == f"{name}: unknown variable; did you mean {meant}?"


def test_a_part_of_a_list_has_no_variable(monkeypatch):
    monkeypatch.setenv("FOREBAY_MODELS__0__NAME", "x")
    assert refused().startswith("FOREBAY_MODELS__0__NAME: unknown variable")


def test_a_missing_file_is_named_with_the_option_that_asked_for_it():
    assert refused("nope.yaml") == "--config: nope.yaml: No such file or directory; give a readable file"


def test_a_missing_file_is_named_with_the_variable_that_asked_for_it(monkeypatch):
    monkeypatch.setenv("FOREBAY_CONFIG", "nope.yaml")
    assert refused().startswith("FOREBAY_CONFIG: nope.yaml: No such file")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("server:\n  port: 1\n  port: 2\n", "f.yaml:3:3: is not YAML: port stands here twice; keep one"),
        ("server: {port: 1}\nserver: {port: 2}\n", "f.yaml:2:1: is not YAML: server stands here twice; keep one"),
        ("- a\n", "f.yaml: holds no mapping; write `section:` lines"),
        ("8080: 1\n", "f.yaml: 8080: is not a section's name; sections are words"),
        ("? [a]\n: 1\n", "f.yaml:1:3: is not YAML: found unhashable key"),
        ("a: 2024-99-99\n", "f.yaml: holds a malformed date or number; quote it"),
        ("a: \x07\n", "f.yaml: is not YAML: it holds a character that YAML forbids"),
    ],
)
def test_a_malformed_file_is_told_by_line_and_column(text, told):
    Path("f.yaml").write_text(text)
    assert refused("f.yaml") == told


def test_a_bare_star_is_told_to_be_quoted():
    Path("f.yaml").write_text("models:\n  - name: *\n")
    assert refused("f.yaml").endswith("; quote a value that begins with *")


def test_a_file_that_is_not_utf8_is_an_error():
    Path("f.yaml").write_bytes(b"a: \xff\n")
    assert refused("f.yaml") == "f.yaml: is not UTF-8; save it as UTF-8"


def test_yaml_merge_keys_work():
    Path("f.yaml").write_text(
        "auth: {mode: none}\nmodels:\n  - &a {name: a, upstream: openai/a}\n  - {<<: *a, name: b}\n"
    )
    assert [model.upstream for model in load_settings("f.yaml").models] == ["openai/a", "openai/a"]
