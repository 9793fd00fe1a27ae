"""What LiteLLM's bundled table says, read without LiteLLM."""

from __future__ import annotations

import subprocess
import sys

import pytest

from proxy.upstream import Prices
from proxy.upstream.library import load
from proxy.upstream.table import Table, encoding_of


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


@pytest.mark.parametrize(
    ("provider", "model", "expected"),
    [
        ("openai", "gpt-5", (272_000, False, 128_000)),
        ("openai", "gpt-5.1", (272_000, False, 128_000)),
        ("openai", "gpt-5.4", (1_050_000, True, 128_000)),
        ("azure", "gpt-5.4", (922_000, False, 128_000)),
        ("openai", "gpt-5-chat-latest", (128_000, True, 16_384)),
        ("azure", "gpt-5.1-chat", (111_616, False, 16_384)),
        ("openai", "gpt-4o", (128_000, True, 16_384)),
        ("openai", "o3", (200_000, True, 100_000)),
        ("openai", "ft:gpt-4o-2024-08-06:org::id", (128_000, True, 16_384)),
        ("anthropic", "claude-sonnet-4-5", (200_000, True, 64_000)),
        ("gemini", "gemini-2.5-pro", (1_048_576, False, 65_536)),
        ("openai", "nobody-knows-7", (None, True, None)),
        ("hosted_vllm", "gpt-4o", (None, True, None)),
    ],
)
def test_windows(table: Table, provider: str, model: str, expected: tuple[int | None, bool, int | None]) -> None:
    facts = table.facts(provider, model)
    assert (facts.window, facts.window_includes_output, facts.max_output) == expected


def test_prices_are_dollars_per_million(table: Table) -> None:
    assert table.facts("anthropic", "claude-sonnet-4-5").prices == Prices(3.0, 15.0, 0.3, 3.75)


def test_an_alias_stands_for_its_model(table: Table) -> None:
    alias = table.facts("bedrock", "claude-opus-latest")
    assert alias.window is not None
    assert alias.prices.input is not None


def test_the_table_is_the_one_that_litellm_uses(table: Table) -> None:
    litellm = load()
    names = [name for name, entry in litellm.model_cost.items() if entry.get("mode") == "chat"]
    known = [
        (provider, name.removeprefix(f"{provider}/")) for name in names[::10] if (provider := table.provider_of(name))
    ]
    theirs = {each: litellm.get_model_info(each[1], each[0])["max_input_tokens"] for each in known}
    stated = {each: window for each, window in theirs.items() if window}
    assert len(stated) > 100
    assert {each: table.facts(*each).window for each in stated} == stated


def test_reading_it_does_not_import_litellm() -> None:
    code = "import sys; from proxy.upstream.catalog import Catalog; Catalog([]); assert 'litellm' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    "model", ["gpt-4", "gpt-4-turbo", "gpt-4-0613", "gpt-3.5-turbo", "ft:gpt-3.5-turbo:x", "gpt-35-turbo"]
)
def test_old_models_count_with_the_old_vocabulary(model: str) -> None:
    assert encoding_of(model) == "cl100k_base"


@pytest.mark.parametrize(
    "model", ["gpt-4o", "gpt-4.1", "gpt-4.5-preview", "gpt-5", "chatgpt-4o-latest", "o3", "llama-4"]
)
def test_others_count_with_the_new_one(model: str) -> None:
    assert encoding_of(model) == "o200k_base"
