"""The generated secret: made once, private, the same for everybody on its folder."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from proxy.settings import ConfigError, Settings, load_or_create_secret


def settings(folder: Path, **values: object) -> Settings:
    return Settings(state={"directory": folder}, **values)


def test_a_configured_secret_is_used_and_nothing_is_written(tmp_path):
    assert load_or_create_secret(settings(tmp_path / "state", secret="0123456789abcdef")) == b"0123456789abcdef"
    assert list(tmp_path.iterdir()) == []


def test_a_generated_secret_stays(tmp_path):
    first = load_or_create_secret(settings(tmp_path / "state"))
    assert load_or_create_secret(settings(tmp_path / "state")) == first
    assert len(bytes.fromhex(first.decode())) == 32


def test_two_folders_have_two_secrets(tmp_path):
    assert load_or_create_secret(settings(tmp_path / "a")) != load_or_create_secret(settings(tmp_path / "b"))


def test_folder_and_file_are_private_and_no_draft_is_left(tmp_path):
    load_or_create_secret(settings(tmp_path / "state"))
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["secret"]
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "state" / "secret").stat().st_mode) == 0o600


def test_everybody_who_starts_at_once_gets_the_same(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: load_or_create_secret(settings(tmp_path / "state")), range(64)))
    assert len(found) == 1
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["secret"]


def test_who_comes_second_takes_the_firsts(tmp_path, monkeypatch):
    load_or_create_secret(settings(tmp_path))
    written = (tmp_path / "secret").read_bytes()
    looks = iter([False])
    monkeypatch.setattr(Path, "exists", lambda _: next(looks))
    assert load_or_create_secret(settings(tmp_path)) == written


def test_an_empty_file_is_an_error(tmp_path):
    (tmp_path / "secret").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"state.directory: .*/secret is empty; restore it, or delete it"):
        load_or_create_secret(settings(tmp_path))


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"state.directory: .*/file/state/secret cannot be kept \(Not a directory\)"):
        load_or_create_secret(settings(tmp_path / "file" / "state"))


def test_a_kept_secret_that_is_too_short_is_an_error(tmp_path):
    (tmp_path / "secret").write_bytes(b"fifteen-bytes-1\n")
    with pytest.raises(ConfigError, match=r"state.directory: .*/secret is shorter than 16 characters; restore it"):
        load_or_create_secret(settings(tmp_path))
