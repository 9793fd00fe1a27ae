"""A store of artifacts that hangs holds up no shutdown: the process ends in time, and orderly."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.faults.bench import NO_STORE, WINDOW, an_agent, session, until
from tests.faults.served import SERVE, config_file, served
from tests.scripted_upstream import ScriptedUpstream
from tests.silent_server import silent_server

SCRIPT = str(Path(__file__).with_name("served.py"))
PROMISED_SECONDS = 15.0


async def test_a_hung_folder_holds_up_no_shutdown(tmp_path: Path) -> None:
    reached = tmp_path / "reached"
    async with ScriptedUpstream() as provider, an_agent() as http:
        config = config_file(tmp_path, provider.url, WINDOW, state={"url": NO_STORE})
        async with served(config, (SCRIPT, "fsync", "2", str(reached), "serve")) as proxy:
            for body in session()[:12]:
                async with http.post(
                    f"{proxy.url}/v1/chat/completions", data=body, headers={"content-type": "application/json"}
                ) as answer:
                    assert answer.status == 200
            await until(reached.exists, "the folder hangs")
            assert await proxy.end(signal.SIGTERM, PROMISED_SECONDS) == 0


async def test_a_hung_object_store_holds_up_no_shutdown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "key")
    async with silent_server() as silent:
        config = config_file(
            tmp_path,
            "http://127.0.0.1:1",
            WINDOW,
            state={"url": NO_STORE},
            artifacts={"url": f"s3://bucket/prefix?endpoint={silent.url}&region=us-east-1"},
        )
        async with served(config, SERVE) as proxy:
            assert silent.came, "it is asked at start"
            assert await proxy.end(signal.SIGTERM, PROMISED_SECONDS) == 0
