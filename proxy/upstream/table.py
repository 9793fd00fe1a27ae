"""What LiteLLM's bundled table knows of a model: window, output limit, prices, provider.

The file is read, LiteLLM is not imported: a proxy that only relays never pays for that import, and nothing is
fetched. The table's `max_input_tokens` means two things. For some models it is the whole context, which the
answer shares (gpt-4o: 128,000); for others the context with the answer already taken off, so that an input may
fill all of it (gpt-5: 272,000 + 128,000 = 400,000). `_NET_WINDOWS` tells them apart.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from proxy.upstream import Prices

Encoding = Literal["o200k_base", "cl100k_base"]

_TABLE = "model_prices_and_context_window_backup.json"
_SUPPORT = "provider_endpoints_support_backup.json"

# OpenAI's input limits that stand beside the output limit: input and output add up to the context that OpenAI
# states for the model (400,000, 1,050,000 and 128,000).
_NET_WINDOWS = frozenset({(272_000, 128_000), (922_000, 128_000), (111_616, 16_384)})
# Google states separate limits for input and output.
_SEPARATE_LIMITS = re.compile(r"(^|/)gemini-")
_OLD_VOCABULARY = re.compile(r"(^|/)(ft:)?gpt-(4(?![o.\d])|3\.5|35)")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the table says of one model; the defaults where it says nothing."""

    window: int | None = None
    window_includes_output: bool = True
    max_output: int | None = None
    prices: Prices = field(default_factory=Prices)


class Table:
    """LiteLLM's table, one entry decoded when it is asked for."""

    def __init__(self) -> None:
        self._entries = msgspec.json.decode(_bundled(_TABLE), type=dict[str, msgspec.Raw])
        support = msgspec.json.decode(_bundled(_SUPPORT), type=dict[str, msgspec.Raw])
        self.providers = frozenset(msgspec.json.decode(support["providers"], type=dict[str, msgspec.Raw]))

    def provider_of(self, model: str) -> str | None:
        """The provider of a model that is written without one (`gpt-5`); None if the table has no such model."""
        stated = str(self._entry(model).get("litellm_provider", ""))
        return next((name for name in _spellings(stated) if name in self.providers), None)

    def facts(self, provider: str, model: str) -> Facts:
        """What is known of this provider's model. The same name at another provider is another model."""
        for key in (f"{provider}/{model}", model, re.sub(r"^(ft:[^:]+):.*", r"\1", model)):
            entry = self._entry(key)
            if provider in _spellings(str(entry.get("litellm_provider", ""))):
                return _facts(model, entry)
        return Facts()

    def _entry(self, key: str) -> dict[str, Any]:
        raw = self._entries.get(key)
        if raw is None:
            return {}
        entry = msgspec.json.decode(raw, type=dict[str, Any])
        target = self._entries.get(str(entry.get("alias_of")))
        return entry if target is None else {**msgspec.json.decode(target, type=dict[str, Any]), **entry}


def encoding_of(model: str) -> Encoding:
    """The vocabulary that counts this model's tokens, or comes nearest."""
    return "cl100k_base" if _OLD_VOCABULARY.search(model) else "o200k_base"


def _facts(model: str, entry: dict[str, Any]) -> Facts:
    window, max_output = _tokens(entry, "max_input_tokens"), _tokens(entry, "max_output_tokens")
    return Facts(
        window=window,
        window_includes_output=not (_SEPARATE_LIMITS.search(model) or (window, max_output) in _NET_WINDOWS),
        max_output=max_output,
        prices=Prices(
            input=_per_million(entry, "input_cost_per_token"),
            output=_per_million(entry, "output_cost_per_token"),
            cache_read=_per_million(entry, "cache_read_input_token_cost"),
            cache_write=_per_million(entry, "cache_creation_input_token_cost"),
        ),
    )


def _tokens(entry: dict[str, Any], key: str) -> int | None:
    value = entry.get(key)
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _per_million(entry: dict[str, Any], key: str) -> float | None:
    value = entry.get(key)
    return round(value * 1_000_000, 6) if isinstance(value, int | float) else None


def _spellings(stated: str) -> tuple[str, ...]:
    """The table says `vertex_ai-language-models` and `bedrock_converse` where a model string says less."""
    return (stated, stated.split("-", 1)[0], stated.removesuffix("_converse"))


def _bundled(name: str) -> bytes:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("litellm is not installed; run the set-up again (make install)")
    return (Path(spec.origin).parent / name).read_bytes()
