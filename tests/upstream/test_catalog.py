"""From a name to a route."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.errors import NotFound
from proxy.settings.faults import ConfigError
from proxy.settings.models import ModelSettings
from proxy.upstream import Prices, Timeouts
from proxy.upstream.catalog import Catalog


def model(name: str, upstream: str, **more: Any) -> ModelSettings:
    return ModelSettings(name=name, upstream=upstream, **more)


def test_an_exact_name_beats_the_longest_prefix_beats_any() -> None:
    rows = [
        model("*", "openai/*"),
        model("gpt-*", "groq/gpt-*"),
        model("gpt-5*", "xai/gpt-5*"),
        model("gpt-5", "mistral/a"),
    ]
    catalog = Catalog(rows)
    asked = ("gpt-5", "gpt-5-mini", "gpt-4o", "other")
    assert [catalog.resolve(name).provider for name in asked] == ["mistral", "xai", "groq", "openai"]
    assert [catalog.label(name) for name in asked] == ["gpt-5", "gpt-5*", "gpt-*", "*"]


def test_the_star_stands_for_what_it_matched() -> None:
    route = Catalog([model("fast-*", "openai/gpt-*-mini")]).resolve("fast-5")
    assert (route.name, route.model, route.sdk_model) == ("fast-*", "gpt-5-mini", "openai/gpt-5-mini")


def test_a_prefix_may_lead_to_one_model() -> None:
    assert Catalog([model("gpt-*", "deepseek/deepseek-chat")]).resolve("gpt-9").model == "deepseek-chat"


def test_names_come_as_configured() -> None:
    assert Catalog([model("b", "openai/b"), model("*", "openai/*")]).names() == ["b", "*"]


@pytest.mark.parametrize("name", ["unknown", "", "gpt-5 ", "GPT-5"])
def test_an_unknown_name_is_not_found_and_named(name: str) -> None:
    with pytest.raises(NotFound, match="/v1/models") as caught:
        Catalog([model("gpt-5", "openai/gpt-5")]).resolve(name)
    assert (caught.value.code, caught.value.param, caught.value.status) == ("model_not_found", "model", 404)
    assert repr(name) in str(caught.value)


def test_an_unknown_name_is_labelled_other() -> None:
    assert Catalog([model("gpt-5", "openai/gpt-5")]).label("junk") == "other"


@pytest.mark.parametrize("name", ["a\r\nx: y", "a\x00", "../files", "a/../../b", "m" * 257, "\u202ex", "\ud800"])
def test_what_cannot_be_a_name_is_not_found(name: str) -> None:
    catalog = Catalog([model("*", "openai/*")])
    with pytest.raises(NotFound) as caught:
        catalog.resolve(name)
    assert str(caught.value).isascii()
    assert "\n" not in str(caught.value)
    assert catalog.label(name) == "other"


@pytest.mark.parametrize("name", ["anthropic/claude-x", "https://evil.test/v1", "azure/x", "@evil.test", "a?b#c%2e"])
def test_a_name_never_chooses_provider_or_host(name: str) -> None:
    route = Catalog([model("*", "openai/*")]).resolve(name)
    assert (route.provider, route.transport, route.base_url) == ("openai", "relay", "https://api.openai.com/v1")
    assert route.model == name


@pytest.mark.parametrize(
    "name", ["us-east-1/claude", "arn:aws:bedrock:eu:1:x", "https://evil.test", "a?b", "a%2fb", "a b"]
)
def test_a_name_that_litellm_would_read_something_into_is_not_found(name: str) -> None:
    with pytest.raises(NotFound):
        Catalog([model("*", "bedrock/*")]).resolve(name)


def test_a_configured_name_may_hold_what_a_clients_may_not() -> None:
    route = Catalog([model("claude", "bedrock/us-east-1/anthropic.claude-v2:1")]).resolve("claude")
    assert route.model == "us-east-1/anthropic.claude-v2:1"


@pytest.mark.parametrize(
    ("upstream", "chosen", "expected"),
    [
        ("openai/gpt-5", "auto", "relay"),
        ("deepseek/deepseek-chat", "auto", "relay"),
        ("anthropic/claude-sonnet-4-5", "auto", "litellm"),
        ("azure/gpt-5", "auto", "litellm"),
        ("gemini/gemini-2.5-pro", "auto", "litellm"),
        ("openai/gpt-5", "litellm", "litellm"),
    ],
)
def test_auto_relays_to_whoever_speaks_openai(upstream: str, chosen: Any, expected: str) -> None:
    assert Catalog([model("m", upstream, transport=chosen)]).resolve("m").transport == expected


def test_a_model_without_provider_gets_the_tables() -> None:
    catalog = Catalog([model("a", "claude-sonnet-4-5"), model("b", "gpt-4o")])
    assert [catalog.resolve(name).provider for name in "ab"] == ["anthropic", "openai"]


def test_a_relay_to_an_unknown_provider_needs_only_an_address() -> None:
    rows = [model("m", "ours/big", transport="relay", api_base="http://gpu.test/v1")]
    route = Catalog(rows).resolve("m")
    assert (route.provider, route.model, route.base_url) == ("ours", "big", "http://gpu.test/v1")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (model("m", "hosted_vllm/m"), "set api_base"),
        (model("m", "ours/big", transport="relay"), "set api_base"),
        (model("m", "ours/big"), "write provider/model"),
        (model("m", "nobody-knows-7"), "write provider/model"),
        (model("*", "*"), "write provider/model"),
        (model("*", "*/x"), "write provider/model"),
        (model("m", "openai/*"), "write the model's name"),
        (model("m", "anthropic/x", query={"a": "b"}), "use transport relay"),
    ],
)
def test_a_row_that_leads_nowhere_is_a_configuration_error(row: ModelSettings, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        Catalog([model("fine", "openai/gpt-5"), row])
    assert caught.value.faults[0].key == "models.1"


def test_the_table_fills_what_the_configuration_leaves_open() -> None:
    route = Catalog([model("m", "openai/gpt-4o")]).resolve("m")
    assert (route.window, route.window_includes_output, route.max_output) == (128_000, True, 16_384)
    assert route.prices == Prices(input=2.5, output=10.0, cache_read=1.25)


def test_the_configuration_beats_the_table() -> None:
    row = model(
        "m",
        "openai/gpt-4o",
        window=1000,
        window_includes_output=False,
        max_output=100,
        prices={"input": 1.0},
        token_factor=1.1,
        timeouts={"connect_seconds": 1, "first_byte_seconds": 2, "idle_seconds": 3},
        retries=2,
        policy="coding",
        headers={"x": "1"},
        query={"q": "2"},
        api_key="sk",
    )
    route = Catalog([row]).resolve("m")
    assert (route.window, route.window_includes_output, route.max_output) == (1000, False, 100)
    assert (route.prices, route.token_factor, route.timeouts) == (Prices(input=1.0), 1.1, Timeouts(1, 2, 3))
    assert (route.retries, route.policy, route.headers, route.query) == (2, "coding", {"x": "1"}, {"q": "2"})
    assert route.api_key is not None
    assert route.api_key.get_secret_value() == "sk"


def test_an_unknown_model_has_no_window() -> None:
    route = Catalog([model("m", "hosted_vllm/nobody-knows-7", api_base="http://gpu.test/v1")]).resolve("m")
    assert (route.window, route.max_output, route.prices) == (None, None, Prices())


def test_whether_litellm_is_needed_is_known() -> None:
    assert not Catalog([model("m", "openai/gpt-5")]).needs_sdk
    assert Catalog([model("*", "anthropic/*")]).needs_sdk
