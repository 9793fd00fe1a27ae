"""A client's own key on a route."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import SecretStr

from proxy.errors import RequestError
from proxy.upstream.own_keys import with_own_key
from tests.http.http_builders import route

KEY = SecretStr("sk-of-the-client")


def test_it_stands_in_the_place_of_the_operators():
    before = route()
    assert before.api_key is not None
    assert with_own_key(before, KEY) == replace(before, api_key=KEY)


@pytest.mark.parametrize("provider", ["bedrock", "bedrock_converse", "vertex_ai", "sagemaker_chat", "github_copilot"])
def test_a_provider_that_the_operators_environment_pays_for_is_refused(provider: str):
    with pytest.raises(RequestError, match="everyone brings their own"):
        with_own_key(replace(route(transport="litellm"), provider=provider), KEY)


def test_a_relay_sends_no_more_than_it_is_given():
    assert with_own_key(replace(route(transport="relay"), provider="vertex_ai"), KEY).api_key == KEY
