"""`forebay check`: the whole configuration on a screen, or the exact key."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from proxy.cli.check import masked, table

HASH = "sha256:" + "ab" * 32
FILE = {
    "secret": "CANARY-0123456789",
    "state": {"url": "redis://user:CANARY@127.0.0.1:1/0"},
    "tenants": [{"name": "team-a", "key_hashes": [HASH], "policy": "coding", "policies": ["coding", "chat"]}],
    "models": [
        {"name": "gpt-5", "upstream": "openai/gpt-5", "api_key": "sk-CANARY", "policy": "coding"},
        {"name": "claude-*", "upstream": "anthropic/claude-*", "headers": {"x-key": "CANARY"}},
        {"name": "mine", "upstream": "hosted_vllm/mine", "api_base": "http://127.0.0.1:1/v1"},
    ],
}


@pytest.fixture
def check(forebay, tmp_path: Path):
    def check(**changes):
        (tmp_path / "f.yaml").write_text(yaml.safe_dump(FILE | changes))
        return forebay("check", "--config", "f.yaml")

    return check


def test_the_built_in_configuration_is_usable_and_tells_what_is_missing(forebay):
    answer = forebay("check")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "built-in defaults (no file)" in answer.stdout
    assert "missing (env OPENAI_API_KEY)" in answer.stdout
    assert "warning" not in answer.stdout


def test_every_model_has_its_line(check):
    answer = check()
    assert (answer.returncode, answer.stderr) == (0, "")
    rows = {line.split()[0]: line.split() for line in answer.stdout.splitlines() if line}
    assert rows["gpt-5"] == ["gpt-5", "openai/gpt-5", "relay", "272,000", "128,000", "1.25/10/0.125/-", "coding", "set"]
    assert rows["claude-*"][:3] == ["claude-*", "anthropic/claude-*", "litellm"]
    assert rows["team-a"] == ["team-a", "1", "coding", "coding,", "chat", "none"]


def test_a_tenants_limits_are_told(check):
    limits = {"requests_in_flight": 64, "tokens_per_minute": 200_000, "on_store_failure": "closed"}
    answer = check(tenants=[{"name": "team-a", "key_hashes": [HASH], "limits": limits}])
    (row,) = [line for line in answer.stdout.splitlines() if line.startswith("team-a")]
    assert row.endswith("64 in flight, 200,000 tokens/min, closed without store")


def test_where_clients_bring_their_own_keys_no_model_has_one(check):
    answer = check(auth={"mode": "passthrough"})
    (row,) = [line for line in answer.stdout.splitlines() if line.startswith("gpt-5")]
    assert row.endswith(" the client's")


def test_no_secret_is_printed(check):
    answer = check()
    assert "redis://127.0.0.1:1/0" in answer.stdout
    assert "CANARY" not in answer.stdout + answer.stderr
    assert HASH not in answer.stdout


def test_an_unknown_window_is_a_warning_with_the_key_to_set(check):
    (line,) = [line for line in check().stdout.splitlines() if line.startswith("warning: ")]
    assert line.startswith("warning: models.2: the window of hosted_vllm/mine is unknown")
    assert line.endswith("set models.2.window")


def test_a_window_of_ones_own_needs_no_warning(check):
    assert "warning" not in check(models=[FILE["models"][2] | {"window": 9000}]).stdout


def test_an_upstream_that_leads_nowhere_is_named(check):
    answer = check(models=[FILE["models"][0], {"name": "x", "upstream": "nowhere/x"}])
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("forebay: f.yaml: models.1")
    assert answer.stderr.count("\n") == 1


def test_a_policy_that_is_not_there_is_named(check):
    answer = check(models=[FILE["models"][0] | {"policy": "codng"}])
    assert answer.returncode == 2
    assert answer.stderr == "forebay: f.yaml: models.0.policy: there is no policy 'codng'; did you mean coding?\n"


def test_policies_of_ones_own_are_known(check, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "ours.yaml").write_text("extends: coding\n")
    models = [FILE["models"][0] | {"policy": "ours"}]
    assert check(models=models, policies={"directory": "own"}).returncode == 0


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://h:1/0", "redis://h:1/0"),
        ("redis://u:PW@h:1/0", "redis://h:1/0"),
        ("redis://:P@W@h", "redis://h"),
        ("redis://:P/W@h", "redis://h"),
        ("redis://:P?W@h", "redis://***"),
        ("redis://h?password=P@W", "redis://***"),
        ("redis://h?password=PW", "redis://h"),
        ("unix://u:PW@/run/s.sock?db=0", "unix:///run/s.sock"),
    ],
)
def test_an_address_is_shown_without_credentials(url, shown):
    assert masked(url) == shown


def test_columns_are_as_wide_as_their_widest_cell():
    assert list(table(("a", "b"), [("long", "x")])) == ["a     b", "long  x"]


def test_the_examples_hash_is_told_to_belong_to_nobody(check):
    tenants = [{"name": "team-a", "key_hashes": [HASH, "sha256:" + "0" * 64]}]
    (line,) = [line for line in check(tenants=tenants).stdout.splitlines() if "tenants.0" in line]
    assert line.startswith("warning: tenants.0.key_hashes.1: this hash is the example's and belongs to no key")
    assert line.endswith("run `forebay keys new --tenant team-a`")


def test_a_kept_secret_that_is_too_short_is_refused(check, tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "secret").write_text("short")
    answer = check(secret=None, state={"directory": "state"})
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("forebay: f.yaml: state.directory: state/secret is shorter than 16 characters")
    assert answer.stderr.count("\n") == 1


def test_checking_makes_no_secret(check, tmp_path):
    assert check(secret=None, state={"directory": "state"}).returncode == 0
    assert not (tmp_path / "state").exists()
