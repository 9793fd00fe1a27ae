"""`forebay serve` and `forebay demo` hand over to the app; what comes back becomes an exit status."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from proxy.cli import main
from proxy.settings import ConfigError, Fault, Settings


@pytest.fixture(autouse=True)
def _bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch):
    """Put a serve() of the test's in the place of the app's."""

    def put(serve) -> None:
        module = ModuleType("proxy.app")
        module.serve = serve
        monkeypatch.setitem(sys.modules, "proxy.app", module)

    return put


def test_serve_prints_the_line_with_which_the_app_says_that_it_is_ready(app, capsys):
    async def serve(settings: Settings, ready, load) -> None:
        ready(f"on {settings.server.host}:{settings.server.port}")

    app(serve)
    assert main(["serve", "--port", "7"]) == 0
    assert capsys.readouterr() == ("on 127.0.0.1:7\n", "")


def test_an_address_in_use_is_a_failure_in_one_line(app, capsys):
    async def serve(settings: Settings, ready, load) -> None:
        raise OSError(98, "address\nalready in use")

    app(serve)
    assert main(["serve"]) == 1
    assert capsys.readouterr() == ("", "forebay serve: [Errno 98] address already in use\n")


def test_a_configuration_error_of_the_app_is_exit_2(app, capsys):
    async def serve(settings: Settings, ready, load) -> None:
        raise ConfigError([Fault("", "models.0", "leads nowhere")])

    app(serve)
    assert main(["serve"]) == 2
    assert capsys.readouterr() == ("", "forebay: models.0: leads nowhere\n")


@pytest.mark.parametrize(("arguments", "keep"), [(["demo"], False), (["demo", "--keep"], True)])
def test_the_demos_status_is_the_exit_status(monkeypatch, arguments, keep):
    async def run(kept: bool) -> int:
        return 3 if kept == keep else 1

    module = ModuleType("proxy.demo.run")
    module.run = run
    monkeypatch.setitem(sys.modules, "proxy.demo.run", module)
    assert main(arguments) == 3
