"""What is wrong at start is told in one line that names the key: fatal for an address, a warning for a store."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import ClientSession
from pydantic import SecretStr

from proxy.app import running
from proxy.settings import ConfigError, Settings
from tests.faults.bench import NO_STORE, model, settings


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def given(folder: Path, state_url: str = NO_STORE, **server: object) -> Settings:
    built = settings(folder, model("http://127.0.0.1:1"), state_url=state_url)
    return built.model_copy(update={"server": built.server.model_copy(update=server)})


def unchecked(folder: Path, state_url: str) -> Settings:
    """A state URL that no check of the configuration has seen."""
    built = given(folder)
    return built.model_copy(update={"state": built.state.model_copy(update={"url": SecretStr(state_url)})})


async def refused(asked: Settings) -> str:
    with pytest.raises(OSError) as caught:  # noqa: PT011 -- the message is looked at by the tests
        async with running(asked):
            pass
    return str(caught.value)


@pytest.mark.parametrize("key", ["port", "admin_port"])
async def test_a_taken_port_is_named_with_its_key_and_the_remedy(tmp_path: Path, taken: int, key: str) -> None:
    message = await refused(given(tmp_path, NO_STORE, **{key: taken}))
    assert message.startswith(f"server.{key} {taken} ")
    assert "Address already in use" in message
    assert f"set server.{key} to a free one" in message


@pytest.mark.parametrize("key", ["host", "admin_host"])
async def test_a_host_that_is_no_address_is_named_with_its_key(tmp_path: Path, key: str) -> None:
    assert (await refused(given(tmp_path, NO_STORE, **{key: "no such host"}))).startswith(
        f"server.{key} 'no such host' "
    )


async def test_an_address_of_another_machine_is_named_with_its_key(tmp_path: Path) -> None:
    message = await refused(given(tmp_path, host="192.0.2.1"))
    assert message.startswith("server.port 0 on server.host '192.0.2.1' cannot be opened (")


async def test_after_a_refusal_the_state_folder_is_free_again(tmp_path: Path, taken: int) -> None:
    await refused(given(tmp_path, "embedded", port=taken))
    async with running(given(tmp_path, "embedded")):
        pass


@pytest.mark.parametrize("url", ["redis://:hunter2@127.0.0.1:hunter2", "http://:hunter2@127.0.0.1"])
async def test_a_state_url_that_cannot_be_read_is_a_configuration_error(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        async with running(unchecked(tmp_path, url)):
            pass
    (fault,) = caught.value.faults
    assert str(fault).startswith("state.url: ")
    assert "redis://HOST:PORT" in str(fault)


async def test_a_state_url_that_cannot_be_read_is_told_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        async with running(unchecked(tmp_path, "redis://:hunter2@127.0.0.1:port")):
            pass
    assert "hunter2" not in str(caught.value.faults[0])


async def test_a_store_that_does_not_answer_is_one_warning_at_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(given(tmp_path)):
        warnings = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    (warning,) = warnings
    assert warning.startswith(f"state store {NO_STORE} fails: ")


async def test_an_artifacts_folder_that_cannot_be_made_is_one_warning_at_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "artifacts").write_text("a file in its place")
    async with running(given(tmp_path, "embedded")):
        warnings = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    (warning,) = warnings
    assert warning.startswith(f"artifacts.url {tmp_path / 'artifacts'} cannot be used (")


async def test_without_keys_the_admin_port_refuses_a_rebound_name(tmp_path: Path) -> None:
    async with running(given(tmp_path)) as proxy, ClientSession(proxy.admin_url) as client:
        async with client.get("/metrics", headers={"host": "evil.example"}) as answer:
            assert answer.status == 403
        for path in ("/metrics", "/healthz", "/readyz"):
            async with client.get(path) as answer:
                assert answer.status == 200
