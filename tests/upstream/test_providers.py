"""Our addresses are LiteLLM's."""

from __future__ import annotations

import pytest

from proxy.upstream.library import load
from proxy.upstream.providers import PROVIDERS, key_variable, speaks_openai

# LiteLLM gives no address for these when asked; it puts them in where it makes the call.
ELSEWHERE = {"openai": "https://api.openai.com/v1", "openrouter": "https://openrouter.ai/api/v1"}


@pytest.mark.parametrize("name", [name for name, known in PROVIDERS.items() if known.base_url])
def test_an_address_is_the_one_that_litellm_uses(name: str) -> None:
    _, provider, _, address = load().get_llm_provider(f"{name}/m")
    assert (provider, address or ELSEWHERE[name]) == (name, PROVIDERS[name].base_url)


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_provider_is_one_of_litellms(name: str) -> None:
    assert name in {getattr(known, "value", known) for known in load().provider_list}


def test_the_key_variable_of_a_provider_is_known() -> None:
    assert (key_variable("groq"), key_variable("hosted_vllm"), key_variable("nobody")) == ("GROQ_API_KEY", None, None)


def test_a_provider_with_a_language_of_its_own_is_not_relayed() -> None:
    assert not any(speaks_openai(name) for name in ("anthropic", "gemini", "bedrock", "azure", "vertex_ai", "cohere"))
