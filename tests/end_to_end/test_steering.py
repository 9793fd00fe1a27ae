"""Nothing in a request or in a provider's answer sends a call, or a key, anywhere but to the configured upstream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientSession

from tests.end_to_end.house import KEY, Provider, Transport, ask, chat
from tests.scripted_upstream import Json

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLAUDES = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "good morning"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 2},
}
MOCKED = "the client's own words"


@pytest_asyncio.fixture(loop_scope="module")
async def canary() -> AsyncIterator[Provider]:
    """A server that nobody may ever talk to."""
    async with Provider() as server:
        yield server


def smuggled(canary: str) -> dict[str, dict[str, Any]]:
    """What a client might try, to have the operator's call or key go to `canary`."""
    there = {"api_base": canary, "base_url": canary, "api_key": "sk-client", "model": "openai/gpt-4o-mini"}
    return {
        "address": {"api_base": canary, "base_url": canary},
        "credentials": {"api_key": "sk-client", "organization": "org", "azure_ad_token": "t", "aws_access_key_id": "a"},
        "provider": {"custom_llm_provider": "openai", "api_base": canary, "api_type": "azure", "api_version": "1"},
        "headers": {"extra_headers": {"authorization": "Bearer sk-client"}, "headers": {"x-api-key": "sk-client"}},
        "body": {"extra_body": there, "extra_query": {"a": "b"}},
        "fallbacks": {"fallbacks": [there, {"gpt-4o-mini": [there]}], "context_window_fallback_dict": {"m": there}},
        "router": {"model_list": [{"model_name": "m", "litellm_params": there}], "litellm_params": there},
        "in metadata": {"metadata": {**there, "fallbacks": [there], "litellm_params": there, "model_info": there}},
        "mock": {"mock_response": MOCKED, "mock_tool_calls": [], "mock_timeout": True},
        "callbacks": {"success_callback": ["webhook"], "callbacks": [canary], "litellm_logging_obj": there},
        "transport": {
            "client": canary,
            "proxy": canary,
            "http_client": canary,
            "ssl_verify": False,
            "shared_session": 1,
        },
        "retries": {"num_retries": 5, "max_retries": 5, "retry_policy": there, "timeout": 0.001, "cooldown_time": 1},
    }


@pytest.mark.parametrize("model", ["relay-32000", "litellm-32000", "claude-32000"])
@pytest.mark.parametrize("trick", smuggled(""))
async def test_a_smuggled_field_steers_nothing(
    trick: str, model: str, client: ClientSession, provider: Provider, canary: Provider
) -> None:
    if model.startswith("claude"):
        provider.reply(Json(CLAUDES))
    answer = await ask(client, chat(model) | smuggled(canary.url)[trick] | {"model": model})
    assert canary.requests == []
    assert answer.status == 200
    assert answer.json["choices"][0]["message"]["content"] == "good morning"
    assert KEY in {
        provider.only.headers.get("authorization", "").removeprefix("Bearer "),
        provider.only.headers.get("x-api-key"),
    }
    assert "sk-client" not in str(provider.only.headers)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(
    status: int, transport: Transport, client: ClientSession, provider: Provider, canary: Provider
) -> None:
    for stream in (False, True):
        provider.reply(Json({}, status, {"location": f"{canary.url}/chat/completions"}))
        answer = await ask(client, chat(f"{transport}-32000", stream=stream))
        assert (answer.status, answer.error["code"]) == (502, "upstream_error")
    assert canary.requests == []
    assert len(provider.requests) == 2


async def test_a_picture_is_not_fetched_to_count_it(
    transport: Transport, client: ClientSession, provider: Provider, canary: Provider
) -> None:
    picture = {"type": "image_url", "image_url": {"url": f"{canary.origin}/a.png", "detail": "high"}}
    answer = await ask(client, chat(f"{transport}-32000", {"role": "user", "content": [picture]}))
    assert answer.status == 200
    assert canary.requests == []
