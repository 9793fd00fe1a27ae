"""A workspace must be a folder that is there, and somebody must be able to read it."""

from __future__ import annotations

from pathlib import Path

import pytest

HASH = "sha256:" + "ab" * 32
KEYS = {"auth": {"mode": "keys"}, "tenants": [{"name": "team-a", "key_hashes": [HASH]}]}


def workspace(path: Path | str, *tenants: str, name: str = "app") -> dict[str, object]:
    return {"name": name, "path": str(path), "tenants": list(tenants)}


def test_a_folder_with_its_tenants_is_taken(load, tmp_path):
    settings = load(workspaces=[workspace(tmp_path, "team-a"), workspace(".", "*", name="here")], **KEYS)
    assert [each.tenants for each in settings.workspaces] == [("team-a",), ("*",)]


def test_without_keys_all_may_read(load, tmp_path):
    assert load(workspaces=[workspace(tmp_path, "*")]).workspaces[0].tenants == ("*",)


@pytest.mark.parametrize("path", ["nowhere", "f.yaml", "~"])
def test_the_path_must_be_a_folder(faults, path):
    told = f"f.yaml: workspaces.0.path: {path!r} is no folder; give one that is there"
    assert faults(workspaces=[workspace(path, "*")]) == [told]


def test_an_unknown_tenant_is_named_with_the_one_that_was_meant(faults, tmp_path):
    (told,) = faults(workspaces=[workspace(tmp_path, "team-b")], **KEYS)
    assert told.startswith("f.yaml: workspaces.0.tenants.0: there is no tenant 'team-b'")
    assert "team-a" in told


def test_without_keys_there_is_no_tenant_to_name(faults, tmp_path):
    told = "f.yaml: workspaces.0.tenants.0: there is no tenant 'team-a'; without keys there is only \"*\""
    assert faults(workspaces=[workspace(tmp_path, "team-a")]) == [told]


def test_nobody_to_read_it_is_refused(faults, tmp_path):
    told = 'f.yaml: workspaces.0.tenants: is empty, so nobody could read it; name tenants, or "*" for all'
    assert faults(workspaces=[workspace(tmp_path)]) == [told]


def test_two_of_one_name_are_refused(faults, tmp_path):
    told = "f.yaml: workspaces.1.name: 'app' is used twice; give each its own name"
    assert faults(workspaces=[workspace(tmp_path, "*"), workspace(tmp_path, "*")]) == [told]


@pytest.mark.parametrize("name", ["", "a/b", "a b", "ä", "x" * 65])
def test_a_name_must_be_able_to_begin_a_path(faults, tmp_path, name):
    told = f"f.yaml: workspaces.0.name: {name!r} cannot begin a path; use 1 to 64 of A-Z a-z 0-9 _ . -"
    assert faults(workspaces=[workspace(tmp_path, "*", name=name)]) == [told]


def test_everybody_with_any_key_is_refused(faults, tmp_path):
    told = faults(workspaces=[workspace(tmp_path, "*")], auth={"mode": "passthrough"})
    assert "f.yaml: workspaces.0.tenants.0: * would be anybody with any key; name tenants" in told
