"""Secrets by variable, file or literally; never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from proxy.settings import ModelSettings, Settings

CANARY = "sk-CANARY-0123456789abcdef"
MODEL = {"name": "m", "upstream": "openai/m"}


def key_of(settings: Settings) -> str:
    key = settings.models[0].api_key
    assert key is not None
    return key.get_secret_value()


def test_a_secret_comes_from_a_variable(load, monkeypatch):
    monkeypatch.setenv("MY_KEY", f"{CANARY}\n")
    assert key_of(load(models=[MODEL | {"api_key": "env:MY_KEY"}])) == CANARY


def test_a_secret_comes_from_a_file(load):
    Path("key").write_text(f"{CANARY}\n")
    assert key_of(load(models=[MODEL | {"api_key": "file:key"}])) == CANARY


def test_a_secret_comes_literally(load):
    assert key_of(load(models=[MODEL | {"api_key": CANARY}])) == CANARY


def test_headers_query_and_store_address_are_secrets_too(load, monkeypatch):
    monkeypatch.setenv("MY_KEY", "redis://:pw@h")
    settings = load(
        secret=CANARY,
        state={"url": "env:MY_KEY"},
        models=[MODEL | {"headers": {"a": "env:MY_KEY"}, "query": {"b": "env:MY_KEY"}}],
    )
    found = [settings.state.url, settings.models[0].headers["a"], settings.models[0].query["b"]]
    assert found == [SecretStr("redis://:pw@h")] * 3


def test_a_variable_that_was_asked_for_must_exist(faults):
    lines = faults(models=[MODEL | {"api_key": "env:NOPE"}])
    assert lines == ["f.yaml: models.0.api_key: env:NOPE is not set; set the variable NOPE or give file:PATH"]


def test_an_empty_variable_is_not_set(faults, monkeypatch):
    monkeypatch.setenv("EMPTY", "")
    assert "env:EMPTY is not set" in faults(models=[MODEL | {"api_key": "env:EMPTY"}])[0]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "file:key cannot be read (No such file or directory); give a readable file"),
        (b"", "file:key is empty; give the secret or null"),
        (b"\xff", "file:key cannot be read (not UTF-8); give a readable file"),
        (b"a\nb", "file:key holds a line break or another unprintable character; give one line"),
    ],
)
def test_a_file_must_hold_one_line(faults, content, told):
    if content is not None:
        Path("key").write_bytes(content)
    assert faults(models=[MODEL | {"api_key": "file:key"}]) == [f"f.yaml: models.0.api_key: {told}"]


def test_a_secret_is_text(faults):
    (line,) = faults(secret=12345678901234567890)
    assert line == "f.yaml: secret: must be text: env:NAME, file:PATH or the value itself in quotes"


def test_no_repr_shows_a_secret():
    model = ModelSettings(**MODEL, api_key=CANARY, headers={"a": CANARY}, query={"b": CANARY})
    settings = Settings(secret=CANARY, models=[model], state={"url": f"redis://:{CANARY}@h"})
    assert CANARY not in repr(settings) + str(settings) + str(settings.model_dump()) + repr(model)


@pytest.mark.parametrize(
    "sections",
    [
        {"secret": [CANARY]},
        {"secert": CANARY},
        {"models": CANARY},
        {"models": [CANARY]},
        {"models": [MODEL | {"api_keys": CANARY}]},
        {"models": [MODEL | {"api_key": [CANARY]}]},
        {"models": [MODEL | {"api_key": {"a": CANARY}}]},
        {"models": [MODEL | {"api_key": f"{CANARY}\nx"}]},
        {"models": [MODEL | {"headers": CANARY}]},
        {"models": [MODEL | {"headers": {"a": [CANARY]}}]},
        {"models": [MODEL | {"query": [CANARY]}]},
        {"models": [MODEL | {"api_base": f"https://u:{CANARY}@h/v1"}]},
        {"models": [MODEL | {"api_base": f"https://h/v1?key={CANARY}"}]},
        {"models": [MODEL | {"api_base": f"https://[{CANARY}"}]},
        {"tenants": [{"name": "a", "key_hashes": [CANARY]}]},
        {"tenants": [{"name": "a", "key_hashes": CANARY}]},
        {"state": {"url": f"mysql://:{CANARY}@h"}},
        {"state": {"url": f"redis+cluster://:{CANARY}@h/1"}, "secret": CANARY},
        {"state": {"url": f"redis+sentinel://:{CANARY}@h"}, "secret": CANARY},
        {"state": {"url": f"redis://h?password={CANARY}"}, "secret": CANARY},
        {"state": {"url": f"redis://:{CANARY}/@h"}, "secret": CANARY},
        {"state": {"url": f"redis://:[{CANARY}@h"}, "secret": CANARY},
        {"state": CANARY},
        {"state": {"url": f"redis://:{CANARY}@h"}},
        {"tracing": {"otlp_endpoint": f"https://{CANARY}@h"}},
    ],
)
def test_no_error_shows_a_secret(faults, sections):
    assert CANARY not in "\n".join(faults(**sections))


def test_no_traceback_shows_a_secret(load):
    with pytest.raises(Exception, match="api_key") as caught:
        load(models=[MODEL | {"api_key": [CANARY]}])
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
