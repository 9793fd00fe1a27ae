"""Through LiteLLM to a provider that speaks OpenAI's language: what LiteLLM would change, and does not."""

from __future__ import annotations

import json

from proxy.upstream import Route, Upstream
from tests.scripted_upstream import Json, ScriptedUpstream, completion
from tests.upstream.calls import ask, call


async def test_a_providers_own_message_fields_stay_where_they_were(
    sdk: Upstream, native: Route, provider: ScriptedUpstream
) -> None:
    sent = {"content": None, "reasoning_content": "hm", "vendor_mark": {"a": 1}}
    provider.reply(Json(completion(sent, vendor_top=7)))
    body = json.loads(await ask(sdk, call(native)))
    received = body["choices"][0]["message"]
    assert sent.items() <= received.items()
    assert "provider_specific_fields" not in received
    assert body["vendor_top"] == 7


async def test_a_stream_is_always_asked_for_its_usage(sdk: Upstream, native: Route, provider: ScriptedUpstream) -> None:
    await ask(sdk, call(native, stream=True, stream_options={"include_obfuscation": False}))
    assert provider.requests[0].json["stream_options"] == {"include_obfuscation": False, "include_usage": True}
