"""The proxy is killed: nothing half written can be read afterwards, and nothing of it is left over."""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import socket
import time
from pathlib import Path

import pytest
from aiohttp import ClientResponse, ClientSession

from proxy.artifacts.local import LocalArtifacts
from tests.faults.bench import NO_STORE, WINDOW, Bench, an_agent, bench, locators, session, until
from tests.faults.served import Served, config_file, served
from tests.faults.valkeys import embedded_pid
from tests.scripted_upstream import DONE, ScriptedUpstream, Stream, chunk

SCRIPT = str(Path(__file__).with_name("served.py"))

POINTS = {
    "written, not yet on the disk": ("fsync", 2),  # the first one is the folder's
    "on the disk, without its name": ("link", 7),  # in the middle of many
    "named, its first name still there": ("unlink", 1),
}


async def read_back(at: Bench, locator: str) -> str | None:
    """An original, page by page; None for 404."""
    text, start = "", "1"
    while True:
        answer = await at.get(f"/v1/context/artifacts/{locator}?start={start}")
        if answer.status == 404:
            return None
        assert answer.status == 200
        page = json.loads(answer.body)
        text += str(page["text"])
        if page["next"] is None:
            return text
        start = str(page["next"])


async def originals(tmp_path: Path) -> dict[str, str]:
    """What an undisturbed proxy keeps under each locator."""
    async with bench(tmp_path / "whole", state_url=NO_STORE) as at:
        await at.play(session())
        kept = {locator: await read_back(at, locator) for locator in locators(at.forwarded)}
    assert all(kept.values())
    return {locator: text for locator, text in kept.items() if text is not None}


@pytest.mark.parametrize(("call", "number"), POINTS.values(), ids=POINTS)
async def test_a_kill_while_artifacts_are_written_leaves_no_half_one(tmp_path: Path, call: str, number: int) -> None:
    whole = await originals(tmp_path)
    folder, reached = tmp_path / "artifacts", tmp_path / "reached"
    async with ScriptedUpstream() as provider, an_agent() as http:
        config = config_file(tmp_path, provider.url, WINDOW, state={"url": NO_STORE})
        async with served(config, (SCRIPT, call, str(number), str(reached), "serve")) as proxy:
            for body in session()[:16]:
                async with http.post(
                    f"{proxy.url}/v1/chat/completions", data=body, headers={"content-type": "application/json"}
                ) as answer:
                    assert answer.status == 200
            await until(reached.exists, f"{call} number {number}")
            await proxy.end(signal.SIGKILL)
    left = list(folder.rglob(".new-*"))
    assert len(left) == 1, "the kill came at another point, and proves nothing"
    assert (left[0].stat().st_nlink > 1) is (call == "unlink")
    async with bench(tmp_path, state_url=NO_STORE) as at:
        read = {locator: await read_back(at, locator) for locator in whole}
        assert all(text in (None, whole[locator]) for locator, text in read.items())
        assert None in read.values()
        await at.play(session())
        assert {locator: await read_back(at, locator) for locator in whole} == whole
    unfinished_an_hour_ago(left)
    await LocalArtifacts(folder, 1000, 1, 1).put("local", "art_" + "a" * 12, "result", "new", "s")
    assert not list(folder.rglob(".new-*")), "what was not finished is swept in time"


def unfinished_an_hour_ago(left: list[Path]) -> None:
    for path in left:
        _, _, rest = path.name.split("-", 2)
        path.rename(path.with_name(f".new-{int(time.time()) - 3700}-{rest}"))


async def test_files_that_may_not_grow_cost_no_request(tmp_path: Path, unspilled: list[bytes]) -> None:
    """A limit of the kernel's on the size of files, which binds root too: each write fails after its first bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    async with ScriptedUpstream() as provider, an_agent() as http:
        config = config_file(tmp_path, provider.url, WINDOW, state={"url": NO_STORE})
        async with served(config, before_exec=limit) as proxy:
            told = []
            for body in session():
                async with http.post(
                    f"{proxy.url}/v1/chat/completions", data=body, headers={"content-type": "application/json"}
                ) as answer:
                    assert answer.status == 200
                    told.append(answer.headers.get("x-context-degraded", ""))
        assert [request.body for request in provider.requests] == unspilled
    assert any("artifacts" in reasons for reasons in told)
    assert not [path for path in (tmp_path / "artifacts").rglob("*") if path.is_file()]


def is_gone(pid: int) -> bool:
    """No such process; one that has ended and waits to be buried is gone too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def asked_for_a_stream(
    proxy: Served, http: ClientSession, gate: asyncio.Event, provider: ScriptedUpstream
) -> ClientResponse:
    provider.reply(Stream([chunk({"content": "first"}), gate, chunk({"content": "last"}), chunk({}, "stop"), DONE]))
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "go"}]}
    response = await http.post(f"{proxy.url}/v1/chat/completions", json=body)
    assert b"first" in await response.content.readany()
    return response


async def test_sigterm_in_mid_stream_lets_the_stream_finish(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with (
        ScriptedUpstream() as provider,
        an_agent() as http,
        served(config_file(tmp_path, provider.url, WINDOW)) as proxy,
    ):
        valkey = embedded_pid(tmp_path / "state")
        response = await asked_for_a_stream(proxy, http, gate, provider)
        ending = asyncio.ensure_future(proxy.end(signal.SIGTERM))
        await until(lambda: not accepts(proxy.url), "no new connection is taken")
        gate.set()
        rest = await response.read()
        assert b"last" in rest
        assert rest.endswith(DONE)
        assert await ending == 0
        assert is_gone(valkey)


async def test_a_stream_that_outlasts_the_grace_is_ended_with_the_proxy(tmp_path: Path) -> None:
    async with ScriptedUpstream() as provider, an_agent() as http:
        server = {"port": 0, "admin_port": 0, "shutdown_grace_seconds": 0.3}
        async with served(config_file(tmp_path, provider.url, WINDOW, server=server)) as proxy:
            valkey = embedded_pid(tmp_path / "state")
            response = await asked_for_a_stream(proxy, http, asyncio.Event(), provider)
            assert await proxy.end(signal.SIGTERM) == 0
            assert is_gone(valkey)
            response.close()
        await asyncio.wait_for(provider.aborted.wait(), 10)


async def test_a_killed_proxy_leaves_no_store_behind(tmp_path: Path) -> None:
    async with ScriptedUpstream() as provider, served(config_file(tmp_path, provider.url, WINDOW)) as proxy:
        valkey = embedded_pid(tmp_path / "state")
        assert not is_gone(valkey)
        assert await proxy.end(signal.SIGKILL) == -signal.SIGKILL
        await until(lambda: is_gone(valkey), "the store dies with its proxy")


def accepts(url: str) -> bool:
    host, _, port = url.removeprefix("http://").partition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return True
    except OSError:
        return False
