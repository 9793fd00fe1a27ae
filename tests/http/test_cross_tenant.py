"""Key B with whatever A has, by every endpoint: the answer is that for something nobody ever had."""

from __future__ import annotations

import pytest

from proxy.http.sessions import digest_of
from proxy.state import RequestRecord
from tests.http.http_builders import KEY_A, KEY_B, SECRET, World, client_of

OWN = "a-session-of-team-a"
DIGEST = digest_of(OWN, "team-a", SECRET)
LOCATOR = "art_abcdefgh2345"
NOBODYS = digest_of("nobody's", "nobody", SECRET)

ATTEMPTS = [
    (method, f"/v1/context/{kind}/{theirs}{query}", f"/v1/context/{kind}/{unknown}{query}")
    for kind, theirs, unknown in [
        ("sessions", OWN, "never-heard-of"),
        ("sessions", DIGEST, NOBODYS),
        ("artifacts", LOCATOR, "art_zzzzzzzzzzzz"),
    ]
    for method, query in [("GET", ""), ("HEAD", ""), ("DELETE", ""), ("GET", "?meta=1"), ("GET", "?start=1&end=1"),
                          ("GET", "?grep=secret"), ("GET", "?start=99"), ("GET", "?symbol=x"), ("PUT", "")]
]  # fmt: skip


async def world_of_team_a() -> World:
    world = World()
    await world.sessions.record("team-a", RequestRecord(DIGEST, None, "gpt", "coding", {}, {"requests": 1}))
    await world.artifacts.put("team-a", LOCATOR, "result", "secret text", DIGEST)
    return world


async def told(client, method: str, path: str):
    """Everything that can be told apart, but for the request's own id and the date."""
    async with client.request(method, path) as answer:
        headers = [
            (name, value)
            for name, value in answer.headers.items()
            if name.lower() not in {"x-context-request-id", "date"}
        ]
        return answer.status, headers, await answer.read()


@pytest.mark.parametrize(("method", "theirs", "unknown"), ATTEMPTS)
async def test_what_is_anothers_answers_like_what_is_nobodys(method, theirs, unknown):
    world = await world_of_team_a()
    async with client_of(world, key=KEY_B) as client:
        assert await told(client, method, theirs) == await told(client, method, unknown)
    assert world.sessions.kept
    assert world.artifacts.kept


@pytest.mark.parametrize("path", [f"sessions/{OWN}", f"sessions/{DIGEST}", f"artifacts/{LOCATOR}"])
async def test_the_owner_finds_it_so_the_attempts_above_could_have(path):
    async with (
        client_of(await world_of_team_a(), key=KEY_A) as client,
        client.get(f"/v1/context/{path}") as answer,
    ):
        assert answer.status == 200


async def test_the_list_of_sessions_is_empty_for_the_other():
    async with client_of(await world_of_team_a(), key=KEY_B) as client:
        assert (await told(client, "GET", "/v1/context/sessions"))[2] == b'{"object": "list", "data": []}'


def test_the_same_name_of_two_tenants_is_two_sessions():
    assert digest_of(OWN, "team-b", SECRET) != DIGEST
