from __future__ import annotations

import pytest

from tests.http.http_builders import FakeCatalog, World, client_of, route

WORLD = {"catalog": FakeCatalog(route("gpt"), route("vendor/large model"))}


def entry(name):
    return {"id": name, "object": "model", "created": 0, "owned_by": "forebay"}


async def test_the_configured_names_are_listed_in_openais_shape():
    async with client_of(World(**WORLD)) as client, client.get("/v1/models") as answer:
        assert await answer.json() == {"object": "list", "data": [entry("gpt"), entry("vendor/large model")]}


@pytest.mark.parametrize("path", ["vendor/large%20model", "vendor%2Flarge%20model"])
async def test_a_name_may_hold_slashes(path):
    async with client_of(World(**WORLD)) as client, client.get(f"/v1/models/{path}") as answer:
        assert await answer.json() == entry("vendor/large model")


async def test_an_unknown_model_is_404():
    async with client_of(World(**WORLD)) as client, client.get("/v1/models/nobody") as answer:
        assert (answer.status, (await answer.json())["error"]["code"]) == (404, "model_not_found")
