"""A route on which the client's own key travels, and never the operator's."""

from __future__ import annotations

from dataclasses import replace

from pydantic import SecretStr

from proxy.errors import RequestError
from proxy.upstream import Route

_OPERATORS = ("bedrock", "sagemaker", "vertex_ai", "oci", "github_copilot", "chatgpt")
"""LiteLLM reaches these with what the operator's environment or home folder holds, whatever key it is given."""


def with_own_key(route: Route, key: SecretStr) -> Route:
    """The same route with this key. RequestError for a provider to which a key alone leads nowhere."""
    if route.transport == "litellm" and route.provider.startswith(_OPERATORS):
        raise RequestError(
            f"model {route.name!r} is not reached with a key, and everyone brings their own here; ask for another",
            param="model",
        )
    return replace(route, api_key=key)
