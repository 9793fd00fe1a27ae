"""Whose fault a failure is that LiteLLM makes an exception of: the client's, the provider's, the connection's."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proxy.errors import RequestError, UpstreamError
from proxy.upstream import Route, Upstream
from tests.scripted_upstream import Json, ScriptedUpstream
from tests.upstream.calls import ask, call

ROOT = Path(__file__).parents[2]
REMOTE = {"type": "image_url", "image_url": {"url": "http://127.0.0.1:9/x.png"}}


def saying(part: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [part]}]


@pytest.mark.parametrize("stream", [False, True])
async def test_an_image_without_an_address_is_the_clients_fault(
    sdk: Upstream, native: Route, provider: ScriptedUpstream, stream: bool
) -> None:
    with pytest.raises(RequestError, match=r"LiteLLM cannot send this: KeyError: 'image_url'"):
        await ask(sdk, call(native, messages=saying({"type": "image_url"}), stream=stream))
    assert provider.requests == []


@pytest.mark.parametrize("stream", [False, True])
async def test_a_field_of_another_type_is_the_clients_fault(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream, stream: bool
) -> None:
    with pytest.raises(RequestError, match="Unsupported response_format type - 5"):
        await ask(sdk, call(anthropic, response_format=5, stream=stream))
    assert provider.requests == []


@pytest.mark.parametrize("name", ["anthropic", "bedrock"])
async def test_a_remote_image_is_refused_with_what_to_send_instead(sdk: Upstream, anthropic: Route, name: str) -> None:
    with pytest.raises(RequestError, match="send a data: URL; remote images are not fetched") as caught:
        await ask(sdk, call(replace(anthropic, provider=name), messages=saying(REMOTE)))
    assert "litellm" not in str(caught.value).lower()


@pytest.mark.parametrize("answer", [{"hello": 1}, b"not json"])
async def test_an_answer_of_another_shape_is_the_providers_fault(
    sdk: Upstream, anthropic: Route, provider: ScriptedUpstream, answer: object
) -> None:
    provider.reply(Json(answer))
    with pytest.raises(UpstreamError, match="the provider answered in a shape that LiteLLM cannot read") as caught:
        await ask(sdk, call(anthropic))
    assert (caught.value.kind, caught.value.status) == ("provider", 502)


@pytest.mark.parametrize("told", ["boom", {"message": "boom", "code": "x"}])
async def test_an_error_in_a_successful_answer_is_the_providers_fault(
    sdk: Upstream, native: Route, provider: ScriptedUpstream, told: object
) -> None:
    provider.reply(Json({"error": told}))
    with pytest.raises(UpstreamError, match="no usable answer") as caught:
        await ask(sdk, call(native))
    assert (caught.value.kind, caught.value.status) == ("provider", 502)


async def test_a_server_that_is_not_there_is_the_connections_fault(sdk: Upstream, anthropic: Route) -> None:
    with pytest.raises(UpstreamError, match="could not be reached") as caught:
        await ask(sdk, call(replace(anthropic, base_url="http://127.0.0.1:1")))
    assert caught.value.kind == "connection"


LEAVING = """
import asyncio, gc
from pydantic import SecretStr
from proxy.upstream import Route, UpstreamCall
from proxy.upstream.transports import transports

async def ask(upstream):
    route = Route("m", "openai/m", "m", "openai", "litellm", "http://127.0.0.1:1/v1", SecretStr("sk-0123456789"))
    async with upstream.open(UpstreamCall(route, b'{"messages": [{"role": "user", "content": "x"}]}', {}, False)):
        pass

async def main():
    async with transports(with_sdk=True) as upstream:
        for _ in range(3):
            asking = asyncio.create_task(ask(upstream))
            await asyncio.sleep(0)
            asking.cancel()
            await asyncio.wait({asking})
        await asyncio.get_running_loop().shutdown_default_executor()
        gc.collect()

asyncio.run(main())
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )


def test_a_client_that_leaves_at_once_causes_no_warning() -> None:
    assert "never awaited" not in run(LEAVING).stderr


def test_a_proxy_that_only_relays_imports_neither_litellm_nor_the_openai_sdk() -> None:
    code = "import sys, proxy.app; print([name for name in ('litellm', 'openai', 'httpx') if name in sys.modules])"
    assert run(code).stdout.strip() == "[]"
