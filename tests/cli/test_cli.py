"""Exit codes, one-line errors, help."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import yaml

from proxy.keys import hash_key
from proxy.settings import TenantSettings
from proxy.version import VERSION


@pytest.mark.parametrize(
    "command", [[], ["serve"], ["demo"], ["check"], ["keys"], ["keys", "new"], ["replay"], ["audit"]]
)
def test_every_command_explains_itself_with_an_example(forebay, command):
    answer = forebay(*command, "--help")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert re.fullmatch(r"[A-Z].*\.", answer.stdout.split("\n\n")[1], re.DOTALL)
    assert "example: forebay " in answer.stdout


def test_the_version(forebay):
    answer = forebay("--version")
    assert (answer.returncode, answer.stdout) == (0, f"forebay {VERSION}\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "forebay: the following arguments are required: COMMAND; see forebay --help"),
        (["serv"], "'serv'"),
        (["serve", "--prot", "1"], "forebay: '--prot' is not an argument of serve; see forebay --help"),
        (["serve", "--port", "x"], "forebay serve: argument --port: invalid int value: 'x'; see forebay serve --help"),
        (["serve", "--port", "70000"], "forebay: --port: server.port: 70000 should be less than or equal to 65535"),
        (["serve", "--workers", "2"], "forebay: --workers: server.workers: more than one worker is not built yet"),
        (["serve", "--host", "0.0.0.0"], "forebay: --host: server.host: 0.0.0.0 is beyond loopback"),
        (["serve", "--config", "no.yaml"], "forebay: --config: no.yaml: No such file or directory"),
        (["check", "--config", "no.yaml"], "forebay: --config: no.yaml: No such file or directory"),
        (["check", "x"], "forebay: 'x' is not an argument of check"),
        (["keys"], "forebay keys: the following arguments are required: ACTION"),
        (["keys", "new"], "forebay keys new: the following arguments are required: --tenant"),
        (["keys", "new", "--tenant", "a b"], "forebay keys new: argument --tenant: 'a b' is not a tenant's name"),
        (["audit"], "forebay audit: the following arguments are required: FILE"),
    ],
)
def test_a_mistake_is_one_line_on_stderr_and_exit_2(forebay, arguments, told):
    answer = forebay(*arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert told in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_abbreviated_options_are_mistakes(forebay):
    assert "'--conf' is not an argument of serve" in forebay("serve", "--conf", "x").stderr


def test_two_faults_are_two_lines(forebay):
    answer = forebay("check", FOREBAY_SERVER__PORT="soon", FOREBAY_LOGGING__LEVEL="loud")
    assert answer.returncode == 2
    assert [line.split(": ")[:3] for line in answer.stderr.splitlines()] == [
        ["forebay", "FOREBAY_SERVER__PORT", "server.port"],
        ["forebay", "FOREBAY_LOGGING__LEVEL", "logging.level"],
    ]


def test_no_mistake_prints_a_secret(forebay):
    answer = forebay("check", FOREBAY_MODELS='[{"name": "m", "api_kee": "sk-CANARY", "api_key": ["sk-CANARY"]}]')
    assert answer.returncode == 2
    assert "CANARY" not in answer.stdout + answer.stderr


def test_a_new_key_comes_with_its_hash_and_what_to_configure(forebay):
    answer = forebay("keys", "new", "--tenant", "team-a")
    assert (answer.returncode, answer.stderr) == (0, "")
    (key,) = re.findall(r"fb-[A-Za-z0-9_-]{43}\b", answer.stdout)
    assert f"hash: {hash_key(key)}\n" in answer.stdout
    assert TenantSettings(**snippet(answer.stdout)) == TenantSettings(name="team-a", key_hashes=[hash_key(key)])


def snippet(output: str) -> dict[str, object]:
    (tenant,) = yaml.safe_load(output[output.index("tenants:") :])["tenants"]
    return tenant


def test_a_tenants_name_that_looks_like_a_number_stays_text(forebay):
    assert snippet(forebay("keys", "new", "--tenant", "007").stdout)["name"] == "007"


def test_keys_are_made_without_the_heavy_libraries():
    code = (
        "import sys; from proxy.cli import main; main(['keys', 'new', '--tenant', 'a']);"
        "sys.exit(len({'litellm', 'aiohttp', 'tiktoken', 'redis'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")
