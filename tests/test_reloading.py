"""A changed configuration: what takes effect at once, what waits for a restart, what is refused; no stream is lost."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.app import Running, running
from proxy.cli.configuration import load
from proxy.http import keys
from proxy.keys import hash_key
from proxy.reloading import reload
from proxy.settings import Settings
from tests.faults.bench import NO_STORE, WINDOW, an_agent
from tests.faults.served import config_file, served
from tests.scripted_upstream import DONE, ScriptedUpstream, Stream, chunk

ROWS: dict[str, Any] = {"transport": "relay", "window": WINDOW, "window_includes_output": True, "api_key": "key"}


class Proxy:
    """A proxy with its configuration file, which the test writes anew."""

    def __init__(self, folder: Path, provider: ScriptedUpstream) -> None:
        self.folder, self.provider = folder, provider
        self.on: Running

    def write(self, *models: str, **sections: Any) -> Path:
        rows = [{"name": name, "upstream": f"openai/{name}", "api_base": self.provider.url, **ROWS} for name in models]
        given = {"models": rows, "state": {"url": NO_STORE}, **sections}
        return config_file(self.folder, self.provider.url, WINDOW, **given)

    def load(self) -> Settings:
        return load(str(self.folder / "config.yaml"))[0]

    async def reload(self) -> bool:
        return await reload(self.on.live, self.load)

    async def models(self, http: ClientSession, **headers: str) -> list[str]:
        async with http.get(f"{self.on.url}/v1/models", headers=headers) as answer:
            assert answer.status == 200, await answer.text()
            return [model["id"] for model in (await answer.json())["data"]]


@pytest.fixture
async def http() -> AsyncIterator[ClientSession]:
    async with an_agent() as session:
        yield session


@pytest.fixture
async def proxy(tmp_path: Path) -> AsyncIterator[Proxy]:
    async with ScriptedUpstream() as provider:
        made = Proxy(tmp_path, provider)
        made.write("old")
        async with running(made.load()) as made.on:
            yield made


def asked(model: str, **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": "go"}], **more}


async def test_models_change_on_connections_that_are_open(proxy: Proxy, http: ClientSession) -> None:
    assert await proxy.models(http) == ["old"]
    proxy.write("new", "newer")
    assert await proxy.reload()
    assert await proxy.models(http) == ["new", "newer"]
    async with http.post(f"{proxy.on.url}/v1/chat/completions", json=asked("old")) as answer:
        assert (answer.status, (await answer.json())["error"]["code"]) == (404, "model_not_found")
    async with http.post(f"{proxy.on.url}/v1/chat/completions", json=asked("new")) as answer:
        assert answer.status == 200


async def test_it_can_be_reloaded_again_and_again(proxy: Proxy, http: ClientSession) -> None:
    for name in ("a", "b", "c"):
        proxy.write(name)
        assert await proxy.reload()
        assert await proxy.models(http) == [name]


async def test_a_stream_under_way_ends_as_it_began(proxy: Proxy, http: ClientSession) -> None:
    go_on = asyncio.Event()
    proxy.provider.reply(Stream([chunk({"content": "first"}), go_on, chunk({"content": "last"}), DONE]))
    async with http.post(f"{proxy.on.url}/v1/chat/completions", json=asked("old", stream=True)) as answer:
        begun = await answer.content.readuntil(b"\n\n")
        proxy.write("new")
        assert await proxy.reload()
        assert await proxy.models(http) == ["new"]
        go_on.set()
        rest = await answer.content.read()
    assert b"first" in begun
    assert b"last" in rest
    assert rest.endswith(b"data: [DONE]\n\n")


async def test_the_shutdown_waits_for_a_stream_that_began_after_a_reload(tmp_path: Path, http: ClientSession) -> None:
    go_on = asyncio.Event()
    async with ScriptedUpstream() as provider, AsyncExitStack() as stack:
        made = Proxy(tmp_path, provider)
        made.write("m")
        made.on = await stack.enter_async_context(running(made.load()))
        assert await made.reload()
        provider.reply(Stream([chunk({"content": "first"}), go_on, chunk({"content": "last"}), DONE]))
        async with http.post(f"{made.on.url}/v1/chat/completions", json=asked("m", stream=True)) as answer:
            await answer.content.readuntil(b"\n\n")
            ending = asyncio.create_task(stack.aclose())
            while not made.on.app[keys.READINESS].draining:  # noqa: ASYNC110 -- told by nothing
                await asyncio.sleep(0.01)
            go_on.set()
            assert (await answer.content.read()).endswith(b"data: [DONE]\n\n")
        await ending


async def test_new_metrics_labels_are_known_and_old_counts_stay(proxy: Proxy, http: ClientSession) -> None:
    async with http.post(f"{proxy.on.url}/v1/chat/completions", json=asked("old")) as answer:
        assert answer.status == 200
    proxy.write("new")
    await proxy.reload()
    async with http.post(f"{proxy.on.url}/v1/chat/completions", json=asked("new")) as answer:
        assert answer.status == 200
    async with http.get(f"{proxy.on.admin_url}/metrics") as answer:
        page = await answer.text()
    for name in ("old", "new"):
        assert f'forebay_requests_total{{model="{name}",status="200",tenant="local"}} 1.0' in page


async def test_policies_are_read_anew(proxy: Proxy, http: ClientSession, tmp_path: Path) -> None:
    folder = tmp_path / "policies"
    folder.mkdir()
    proxy.write("old", policies={"directory": str(folder)})
    (folder / "ours.yaml").write_text("extends: chat\nkeep_last_turns: 7\n")
    assert await proxy.reload()
    assert proxy.on.live.app is not proxy.on.app
    async with http.post(
        f"{proxy.on.url}/v1/chat/completions", json=asked("old"), headers={"x-context-policy": "ours"}
    ) as answer:
        assert (answer.status, answer.headers["x-context-policy"]) == (200, "ours")


REFUSED: dict[str, tuple[Callable[[Path], str], str]] = {
    "no YAML": (lambda path: "models: [", "config.yaml"),
    "an unknown key": (lambda path: '{"modles": []}', "config.yaml: modles: "),
    "an unknown policy": (
        lambda path: path.read_text().replace('"window": ', '"policy": "codign", "window": '),
        "there is no policy 'codign'; did you mean coding?",
    ),
    "no file": (lambda path: "", "config.yaml"),
}


@pytest.mark.parametrize(("spoil", "told"), REFUSED.values(), ids=REFUSED)
async def test_a_bad_file_is_refused_loudly_and_the_old_one_goes_on(
    proxy: Proxy, http: ClientSession, caplog: pytest.LogCaptureFixture, spoil: Callable[[Path], str], told: str
) -> None:
    path = proxy.write("new")
    text = spoil(path)
    path.write_text(text) if text else path.unlink()
    assert not await proxy.reload()
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 1
    assert errors[0].startswith("configuration not reloaded, the old one goes on: ")
    assert told in errors[0]
    assert await proxy.models(http) == ["old"]


async def test_what_needs_a_restart_is_named_and_stays(
    proxy: Proxy, http: ClientSession, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "proxy")
    proxy.write("new", artifacts={"url": str(proxy.folder / "elsewhere")}, server={"port": 0, "max_body_mb": 7})
    assert await proxy.reload()
    (warning,) = [record.getMessage() for record in caplog.records if "restart" in record.getMessage()]
    assert "artifacts.url" in warning
    assert "server.max_body_mb" in warning
    assert "models" not in warning
    assert proxy.on.live.app[keys.SETTINGS].artifacts.url == str(proxy.folder / "artifacts")
    assert await proxy.models(http) == ["new"]


async def test_what_does_not_go_together_with_what_stays_is_refused(
    proxy: Proxy, http: ClientSession, caplog: pytest.LogCaptureFixture
) -> None:
    proxy.write("new", auth={"mode": "keys"}, tenants=[{"name": "t", "key_hashes": [hash_key("k")]}])
    assert await proxy.reload(), "auth.mode waits for a restart, and none goes with tenants"
    assert await proxy.models(http) == ["new"]
    assert any("auth.mode" in record.getMessage() for record in caplog.records)


async def test_a_tenant_gets_in_and_another_is_out(tmp_path: Path, http: ClientSession) -> None:
    def tenants(*names: str) -> list[dict[str, Any]]:
        return [{"name": name, "key_hashes": [hash_key(f"key of {name}")]} for name in names]

    async with ScriptedUpstream() as provider:
        made = Proxy(tmp_path, provider)
        made.write("m", auth={"mode": "keys"}, tenants=tenants("one"))
        async with running(made.load()) as made.on:
            made.write("m", auth={"mode": "keys"}, tenants=tenants("two"))
            assert await made.reload()
            assert await made.models(http, authorization="Bearer key of two") == ["m"]
            async with http.get(f"{made.on.url}/v1/models", headers={"authorization": "Bearer key of one"}) as answer:
                assert answer.status == 401


async def test_keys_without_any_tenant_left_are_refused(tmp_path: Path, http: ClientSession) -> None:
    async with ScriptedUpstream() as provider:
        made = Proxy(tmp_path, provider)
        made.write("m", auth={"mode": "keys"}, tenants=[{"name": "t", "key_hashes": [hash_key("k")]}])
        async with running(made.load()) as made.on:
            made.write("m", auth={"mode": "none"}, tenants=[])
            assert not await made.reload()
            assert await made.models(http, authorization="Bearer k") == ["m"]


async def test_a_provider_that_needs_litellm_waits_for_a_restart(
    proxy: Proxy, http: ClientSession, caplog: pytest.LogCaptureFixture
) -> None:
    path = proxy.write("new")
    path.write_text(path.read_text().replace('"transport": "relay"', '"transport": "litellm"'))
    assert not await proxy.reload()
    assert "models: lead to a provider that needs LiteLLM" in caplog.text
    assert await proxy.models(http) == ["old"]


async def test_sighup_reloads_the_process_and_a_bad_file_does_not_end_it(tmp_path: Path) -> None:
    async with ScriptedUpstream() as provider, an_agent() as http:
        made = Proxy(tmp_path, provider)
        path = made.write("old")
        async with served(path) as process:
            made.write("new")
            process.process.send_signal(signal.SIGHUP)
            await until_models(http, process.url, "new")
            path.write_text("{")
            process.process.send_signal(signal.SIGHUP)
            made.write("newest")
            process.process.send_signal(signal.SIGHUP)
            await until_models(http, process.url, "newest")
            assert await process.end(signal.SIGTERM) == 0


async def until_models(http: ClientSession, url: str, expected: str) -> None:
    seen: list[str] = []

    async def ask() -> None:
        while expected not in seen:
            async with http.get(f"{url}/v1/models") as answer:
                seen[:] = [model["id"] for model in json.loads(await answer.read())["data"]]
            await asyncio.sleep(0.02)

    async with asyncio.timeout(20):
        await ask()
