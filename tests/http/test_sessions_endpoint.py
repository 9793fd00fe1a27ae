from __future__ import annotations

import pytest

from proxy.http.sessions import digest_of
from proxy.state import RequestRecord
from tests.http.http_builders import SECRET, World, client_of

OWN = "my/session 1"
DIGEST = digest_of(OWN, "team-a", SECRET)
BY_OWN = "/v1/context/sessions/my/session%201"
BY_DIGEST = f"/v1/context/sessions/{DIGEST}"


async def world_with_a_session() -> World:
    world = World()
    await world.sessions.record("team-a", RequestRecord(DIGEST, None, "gpt", "coding", {}, {"requests": 1}))
    await world.artifacts.put("team-a", "art_abcdefgh2345", "result", "x", DIGEST)
    return world


@pytest.mark.parametrize("path", [BY_OWN, BY_DIGEST])
async def test_a_session_is_read_by_our_digest_and_by_the_clients_own_id(path):
    async with client_of(await world_with_a_session()) as client, client.get(path) as answer:
        assert (answer.status, (await answer.json())["id"]) == (200, DIGEST)


async def test_the_list_holds_the_tenants_sessions():
    async with client_of(await world_with_a_session()) as client, client.get("/v1/context/sessions") as answer:
        body = await answer.json()
    assert (body["object"], [each["id"] for each in body["data"]]) == ("list", [DIGEST])


@pytest.mark.parametrize("limit", ["0", "1001", "x", "-1", "", "9" * 5_000, "\u0663"])
async def test_a_limit_that_is_none_is_400(limit):
    async with client_of(World()) as client, client.get("/v1/context/sessions", params={"limit": limit}) as answer:
        assert answer.status == 400


@pytest.mark.parametrize("path", [BY_OWN, BY_DIGEST])
async def test_erasing_takes_records_and_artifacts(path):
    world = await world_with_a_session()
    async with client_of(world) as client, client.delete(path) as answer:
        assert await answer.json() == {"id": DIGEST, "deleted": True, "artifacts": 1}
    assert (world.sessions.kept, world.artifacts.kept) == ({}, {})


async def test_erasing_artifacts_whose_record_has_expired_is_a_success():
    world = await world_with_a_session()
    world.sessions.kept.clear()
    async with client_of(world) as client, client.delete(BY_OWN) as answer:
        assert answer.status == 200


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_an_unknown_session_is_404(method):
    async with client_of(World()) as client, client.request(method, BY_OWN) as answer:
        assert (answer.status, (await answer.json())["error"]["code"]) == (404, "not_found")


async def test_a_store_that_is_down_is_503_and_nothing_is_erased():
    world = await world_with_a_session()
    world.artifacts.down = True
    async with client_of(world) as client, client.delete(BY_OWN) as answer:
        assert answer.status == 503
    assert world.sessions.kept
