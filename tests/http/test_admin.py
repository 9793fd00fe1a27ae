from __future__ import annotations

import pytest
from aiohttp import ClientSession

from proxy.http.admin import admin_app
from proxy.settings import Settings
from tests.http.http_builders import World, client_of, serving


async def asked(world: World, path: str):
    async with (
        serving(admin_app(world.app())) as address,
        ClientSession(address) as client,
        client.get(path) as answer,
    ):
        return answer, await answer.read()


async def test_readiness_is_the_same_on_both_ports_and_needs_no_key():
    world = World()
    answer, body = await asked(world, "/readyz")
    async with client_of(world, key=None) as client, client.get("/readyz") as main:
        assert (main.status, await main.read()) == (answer.status, body) == (200, b'{"status": "ready", "store": "ok"}')


async def test_a_dead_store_is_ready_but_degraded():
    answer, body = await asked(World(store_up=False), "/readyz")
    assert (answer.status, body) == (200, b'{"status": "ready", "store": "degraded"}')


@pytest.mark.parametrize(
    ("fact", "value", "told"),
    [("started", False, "starting"), ("draining", True, "draining"), ("tokenizer", False, "tokenizer"),
     ("catalog", False, "catalog")],
)  # fmt: skip
async def test_it_is_not_ready_without_what_it_needs_and_alive_all_the_same(fact, value, told):
    world = World()
    setattr(world.readiness, fact, value)
    answer, body = await asked(world, "/readyz")
    assert answer.status == 503
    assert f'"reasons": ["{told}"]'.encode() in body
    assert (await asked(world, "/healthz"))[0].status == 200


async def test_metrics_are_told_on_the_admin_port_only():
    world = World()
    answer, body = await asked(world, "/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert b'forebay_build_info{version="1.2.3"} 1.0' in body
    async with client_of(world) as client, client.get("/metrics") as main:
        assert main.status == 404


async def test_metrics_can_be_switched_off():
    world = World(settings=Settings(auth={"mode": "keys"}, metrics={"enabled": False}))
    answer, _ = await asked(world, "/metrics")
    assert answer.status == 404


@pytest.mark.parametrize("path", ["/v1/models", "/v1/context/sessions"])
async def test_nothing_of_a_tenant_is_told_on_the_admin_port(path):
    answer, body = await asked(World(), path)
    assert (answer.status, b'"not_found"' in body) == (404, True)
