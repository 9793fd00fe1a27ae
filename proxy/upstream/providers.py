"""Providers that speak OpenAI's wire format themselves, so that bytes can be relayed to them.

The addresses are the ones that LiteLLM uses (a test compares them), so that `transport` changes how a request
travels and not where to. A provider without an address is a server of one's own: the model's `api_base` says
where it is. The variable is where a provider's key usually lies; it is named in messages and read by nobody here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider that speaks OpenAI's format is, and how its key's variable is called."""

    base_url: str | None
    key_variable: str | None


PROVIDERS = {
    "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "cerebras": Provider("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    "dashscope": Provider("https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
    "deepinfra": Provider("https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY"),
    "deepseek": Provider("https://api.deepseek.com/beta", "DEEPSEEK_API_KEY"),
    "fireworks_ai": Provider("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "groq": Provider("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "hyperbolic": Provider("https://api.hyperbolic.xyz/v1", "HYPERBOLIC_API_KEY"),
    "mistral": Provider("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "moonshot": Provider("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    "nebius": Provider("https://api.studio.nebius.ai/v1", "NEBIUS_API_KEY"),
    "novita": Provider("https://api.novita.ai/v3/openai", "NOVITA_API_KEY"),
    "nvidia_nim": Provider("https://integrate.api.nvidia.com/v1", "NVIDIA_NIM_API_KEY"),
    "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "perplexity": Provider("https://api.perplexity.ai", "PERPLEXITYAI_API_KEY"),
    "sambanova": Provider("https://api.sambanova.ai/v1", "SAMBANOVA_API_KEY"),
    "together_ai": Provider("https://api.together.ai/v1", "TOGETHER_API_KEY"),
    "xai": Provider("https://api.x.ai/v1", "XAI_API_KEY"),
    "zai": Provider("https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
    "custom_openai": Provider(None, None),
    "hosted_vllm": Provider(None, None),
    "litellm_proxy": Provider(None, None),
    "llamafile": Provider(None, None),
    "lm_studio": Provider(None, None),
    "openai_like": Provider(None, None),
    "vllm": Provider(None, None),
    "xinference": Provider(None, None),
}


def speaks_openai(provider: str) -> bool:
    """Whether `transport: auto` relays to this provider."""
    return provider in PROVIDERS


def key_variable(provider: str) -> str | None:
    """The environment variable in which this provider's key usually lies; None if it has none."""
    known = PROVIDERS.get(provider)
    return known.key_variable if known else None
