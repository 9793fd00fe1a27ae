"""From a request body to the arguments of `litellm.acompletion`.

LiteLLM takes its own steering (`api_base`, `api_key`, `fallbacks`, `mock_response`, callbacks in `metadata`, ...)
from the same keyword arguments as the request, so a body is never spread over them. To a provider that speaks
OpenAI's format it travels as `extra_body`, which LiteLLM puts over what it would send: nothing is rewritten. To a
provider that speaks another language only the fields listed here go; `docs/litellm-transport.md` says what that loses.
"""

from __future__ import annotations

from typing import Any

import httpx
import msgspec

from proxy.errors import RequestError
from proxy.upstream import UpstreamCall
from proxy.upstream.providers import speaks_openai

_MEANING = frozenset(
    [
        "messages",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "top_p",
        "stop",
        "n",
        "presence_penalty",
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "top_logprobs",
        "tools",
        "tool_choice",
        "functions",
        "function_call",
        "response_format",
        "reasoning_effort",
        "thinking",
        "modalities",
        "audio",
        "web_search_options",
    ]
)
# A provider without one of these answers the same question; without one of the above it answers another one.
_HINTS = frozenset(
    [
        "user",
        "seed",
        "store",
        "service_tier",
        "parallel_tool_calls",
        "prediction",
        "prompt_cache_key",
        "safety_identifier",
        "verbosity",
    ]
)
# Their credentials are no keys: they come from the environment and sign requests.
_SIGNERS = ("bedrock", "sagemaker", "vertex_ai")
# What clients send out of habit and every provider does anyway. LiteLLM makes `priority` of Gemini's `auto`.
_SAYS_NOTHING: dict[str, Any] = {
    "n": 1,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "logprobs": False,
    "logit_bias": {},
    "tools": [],
    "modalities": ["text"],
    "service_tier": "auto",
}


def is_native(litellm: Any, call: UpstreamCall) -> bool:
    """Whether the body reaches the provider as it is. Models that LiteLLM moves to another endpoint's format do not."""
    known = litellm.model_cost.get(call.route.model, {})
    return (speaks_openai(call.route.provider) or call.route.provider == "azure") and known.get("mode") != "responses"


def arguments(litellm: Any, call: UpstreamCall) -> dict[str, Any]:
    """Everything that `acompletion` is called with; RequestError for a body that is no request."""
    body = _decode(call.body)
    fields = _native(call, body) if is_native(litellm, call) else _translated(litellm, call, body)
    if call.stream:
        fields["stream_options"] = _with_usage(body)
    return {**fields, **_steering(call)}


def wants_usage(call: UpstreamCall) -> bool:
    """Whether the client itself asked a stream for its usage."""
    options = _decode(call.body).get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _native(call: UpstreamCall, body: dict[str, Any]) -> dict[str, Any]:
    # LiteLLM edits the messages it is given in place: the ones that travel are decoded anew.
    over = {name: value for name, value in _decode(call.body).items() if name not in {"model", "stream"}}
    if call.stream:
        over["stream_options"] = _with_usage(body)
    return {"messages": body["messages"], "extra_body": over}


def _translated(litellm: Any, call: UpstreamCall, body: dict[str, Any]) -> dict[str, Any]:
    route = call.route
    supported = litellm.get_supported_openai_params(model=route.model, custom_llm_provider=route.provider) or []
    fields = {name: body[name] for name in _MEANING & body.keys()}
    fields |= {name: body[name] for name in _HINTS & body.keys() & set(supported)}
    return {
        name: value
        for name, value in fields.items()
        if value is not None and not (name in _SAYS_NOTHING and value == _SAYS_NOTHING[name])
    }


def _steering(call: UpstreamCall) -> dict[str, Any]:
    route, timeouts = call.route, call.route.timeouts
    steering: dict[str, Any] = {
        "model": route.model,
        "custom_llm_provider": route.provider,
        "stream": call.stream,
        "timeout": httpx.Timeout(max(timeouts.first_byte, timeouts.idle) + 1, connect=timeouts.connect),
        "max_retries": 0,
        "num_retries": 0,
        "_skip_mcp_handler": True,
    }
    if route.base_url is not None:
        steering["api_base"] = route.base_url
    if route.api_key is None and route.base_url is not None and not route.provider.startswith(_SIGNERS):
        # LiteLLM would take a key out of the environment and send it to this address.
        steering["api_key"] = "none"
    if route.api_key is not None:
        steering["api_key"] = route.api_key.get_secret_value()
    if route.headers:
        steering["extra_headers"] = dict(route.headers)
    if "api-version" in route.query:
        steering["api_version"] = route.query["api-version"]
    return steering


def _with_usage(body: dict[str, Any]) -> dict[str, Any]:
    options = body.get("stream_options")
    return {**(options if isinstance(options, dict) else {}), "include_usage": True}


def _decode(body: bytes) -> dict[str, Any]:
    try:
        decoded = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"the body is not a JSON object ({error})") from None
    if not isinstance(decoded.get("messages"), list):
        raise RequestError("messages must be a list", param="messages")
    return decoded
