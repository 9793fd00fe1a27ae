"""Values that would fail later, refused when they are read: one line with key, value and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.metrics import OTHER, TENANTS_WITHOUT_KEYS
from proxy.settings import ConfigError, load_settings
from proxy.settings.values import RESERVED_TENANTS
from tests.settings.conftest import HASH

MODEL = {"name": "m", "upstream": "openai/m"}
SECRET = "0123456789abcdef"


def test_a_port_that_is_no_number_is_refused(faults):
    (line,) = faults(secret=SECRET, state={"url": "redis://127.0.0.1:notaport/0"})
    assert line.startswith("f.yaml: state.url: 'redis://127.0.0.1:notaport/0' holds no usable port; give a number")


def test_a_port_that_is_no_number_is_refused_without_telling_the_password(faults):
    (line,) = faults(secret=SECRET, state={"url": "redis://:CANARY@h:notaport/0"})
    assert line.startswith("f.yaml: state.url: holds no usable port")


def test_a_file_that_is_nested_too_deeply_is_refused():
    Path("f.yaml").write_text("a: " + "[" * 5000)
    with pytest.raises(ConfigError) as caught:
        load_settings("f.yaml")
    assert str(caught.value) == "f.yaml: is nested too deeply; write it flatter"


def test_a_variable_that_is_nested_too_deeply_is_refused(monkeypatch):
    monkeypatch.setenv("FOREBAY_MODELS", "[" * 20_000)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert str(caught.value) == "FOREBAY_MODELS: is nested too deeply; write it flatter"


@pytest.mark.parametrize("name", ["x a", "", "x:a", "é"])
def test_a_header_that_cannot_be_sent_is_refused(faults, name):
    (line,) = faults(models=[MODEL | {"headers": {name: "b"}}])
    assert line.startswith(f"f.yaml: models.0.headers.{name}: {name!r} is not a header's name; use letters")


def test_a_name_with_a_line_break_is_told_in_one_line(faults):
    (line,) = faults(models=[MODEL | {"headers": {"x\r\na": "b"}}])
    assert line.startswith(r"f.yaml: models.0.headers.x\r\na: 'x\r\na' is not a header's name")


@pytest.mark.parametrize("name", ["Content-Length", "transfer-encoding", "Connection", "host", "TE", "upgrade"])
def test_a_header_of_the_connection_is_refused(faults, name):
    lines = faults(models=[MODEL | {"headers": {name: "3"}}])
    told = f"{name!r} is a header that the proxy itself sets for each request; leave it out"
    assert lines == [f"f.yaml: models.0.headers.{name}: {told}"]


@pytest.mark.parametrize("value", ["a\r\nb: c", "a\nb", "a\0b"])
def test_a_headers_value_is_one_line(faults, value):
    (line,) = faults(models=[MODEL | {"headers": {"x-a": value}}])
    assert line.startswith("f.yaml: models.0.headers.x-a: the value holds a line break")


@pytest.mark.parametrize(
    ("section", "key"), [("server", "port"), ("server", "shutdown_grace_seconds"), ("state", "ttl_seconds")]
)
def test_true_is_no_number(faults, section, key):
    assert faults(**{section: {key: True}}) == [f"f.yaml: {section}.{key}: true is no number; give a number"]


def test_true_is_no_number_where_null_is_allowed(faults):
    lines = faults(models=[MODEL | {"window": True}])
    assert lines == ["f.yaml: models.0.window: true is no number; give a number"]


def test_true_and_false_are_values_where_they_belong(load):
    assert load(models=[MODEL | {"window_includes_output": False}]).models[0].window_includes_output is False


@pytest.mark.parametrize("name", sorted(RESERVED_TENANTS))
def test_a_tenant_takes_no_name_that_metrics_use(faults, name):
    (line,) = faults(tenants=[{"name": name, "key_hashes": [HASH]}])
    assert line.startswith(f"f.yaml: tenants.0.name: {name!r} is a name that metrics use")


def test_the_names_that_metrics_use_are_known():
    assert {OTHER, *TENANTS_WITHOUT_KEYS} == RESERVED_TENANTS


def test_no_default_is_told_as_null(faults):
    (line,) = faults(models=[MODEL | {"window": "big"}])
    assert line.endswith("; the default is null")


@pytest.mark.parametrize("source", ["env:", "env: ", "file:"])
def test_a_reference_to_nothing_is_refused(faults, source):
    (line,) = faults(models=[MODEL | {"api_key": source}])
    assert line.startswith(f"f.yaml: models.0.api_key: {source.strip()} names nothing; write env:NAME")
