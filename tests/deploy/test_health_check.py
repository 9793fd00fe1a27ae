"""The image's health check, run as the image runs it, against a real admin port."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest
from aiohttp import web

from proxy.app import running
from proxy.demo.config import demo_settings
from tests.deploy.deployed import ROOT


def program(url: str) -> str:
    """The Python of HEALTHCHECK, its port that of `url`."""
    line = re.search(r"^HEALTHCHECK .*?CMD (\[.*?\])$", (ROOT / "Dockerfile").read_text(), re.MULTILINE | re.DOTALL)
    assert line
    interpreter, flag, text = json.loads(line[1])
    assert (interpreter, flag) == ("python", "-c")
    return str(text).replace("8081", url.rpartition(":")[2])


async def exit_code(url: str) -> int | None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program(url), stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()


async def test_a_running_proxy_is_healthy(tmp_path: Path):
    async with running(demo_settings("http://127.0.0.1:9/v1", tmp_path)) as proxy:
        assert await exit_code(proxy.admin_url) == 0


async def test_another_status_is_not_healthy():
    async def failing(_: web.Request) -> web.Response:
        return web.Response(status=503)

    app = web.Application()
    app.router.add_get("/healthz", failing)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        assert await exit_code(f"http://127.0.0.1:{runner.addresses[0][1]}") == 1
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("port", [9])
async def test_no_answer_is_not_healthy(port: int):
    assert await exit_code(f"http://127.0.0.1:{port}") == 1
