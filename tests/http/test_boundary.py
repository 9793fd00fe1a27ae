from __future__ import annotations

import asyncio
import logging

import pytest
from aiohttp import ClientPayloadError, ServerDisconnectedError, web

from proxy.errors import OverQuota, StoreError, UpstreamError
from tests.http.http_builders import World, client_of

CHAT = "/v1/chat/completions"


def world_where(handler: object) -> World:
    return World(handler=handler)


async def test_an_error_of_ours_is_answered_in_openais_shape():
    async def handler(request: web.Request) -> web.Response:
        raise OverQuota("slow down", retry_after=7)

    async with client_of(world_where(handler)) as client, client.post(CHAT, json={}) as answer:
        body = await answer.json()
    assert (answer.status, answer.headers["retry-after"]) == (429, "7")
    assert body == {
        "error": {
            "message": "slow down",
            "type": "rate_limit_error",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    }


async def test_anything_else_is_a_500_that_tells_the_client_nothing_and_the_log_once(caplog):
    async def handler(request: web.Request) -> web.Response:
        raise ValueError("canary-5f3a")

    async with client_of(world_where(handler)) as client, client.post(CHAT, json={}) as answer:
        text = await answer.text()
    told = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert answer.status == 500
    assert "canary" not in text
    assert "Traceback" not in text
    assert [record.fields["request_id"] for record in told] == [answer.headers["x-context-request-id"]]


async def test_a_500_is_counted():
    async def handler(request: web.Request) -> web.Response:
        raise ValueError

    world = world_where(handler)
    async with client_of(world) as client, client.post(CHAT, json={}):
        pass
    line = 'forebay_requests_total{model="other",status="500",tenant="team-a"} 1.0'
    assert line in world.metrics.exposition().decode()


@pytest.mark.parametrize(
    ("raised", "status"),
    [
        (web.HTTPRequestEntityTooLarge(1, 2), 413),
        (web.HTTPBadRequest(), 400),
        (web.HTTPServiceUnavailable(), 500),
    ],
)
async def test_a_refusal_of_aiohttps_is_put_in_our_shape(raised, status):
    async def handler(request: web.Request) -> web.Response:
        raise raised

    async with client_of(world_where(handler)) as client, client.post(CHAT, json={}) as answer:
        assert (answer.status, sorted((await answer.json())["error"])) == (status, ["code", "message", "param", "type"])


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/files", "/v1/audio/../files", "/v1/audio/%2e%2e/files", "/x"])
async def test_a_path_that_does_not_exist_is_404_in_our_shape(path):
    async with client_of(World()) as client, client.post(path, json={}) as answer:
        assert (answer.status, (await answer.json())["error"]["code"]) == (404, "not_found")


async def test_a_wrong_method_is_405_and_tells_the_right_ones():
    async with client_of(World()) as client, client.get(CHAT) as answer:
        body = await answer.json()
    assert (answer.status, answer.headers["allow"], body["error"]["code"]) == (405, "POST", "method_not_allowed")


@pytest.mark.parametrize("error", [UpstreamError("gone"), ValueError("bug")])
async def test_an_error_after_the_head_cuts_the_answer_and_sends_no_second_one(error, caplog):
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"begun")
        raise error

    world = world_where(handler)
    async with client_of(world) as client, client.post(CHAT, json={}) as answer:
        received = await answer.content.readany()
        with pytest.raises(ClientPayloadError):
            await answer.read()
    status = getattr(error, "status", 500)
    assert (answer.status, received) == (200, b"begun")
    assert f'status="{status}"' in world.metrics.exposition().decode()
    assert not [record for record in caplog.records if record.name.startswith("aiohttp")]


async def test_a_client_that_leaves_cancels_its_handler_and_counts_as_499():
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def handler(request: web.Request) -> web.Response:
        await request.read()
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return web.Response()

    world = world_where(handler)
    async with client_of(world) as client:
        task = asyncio.create_task(client.post(CHAT, json={}))
        await begun.wait()
        task.cancel()
        async with asyncio.timeout(5):
            await cancelled.wait()
            await asyncio.gather(task, return_exceptions=True)
    assert 'status="499"' in world.metrics.exposition().decode()


async def test_a_client_that_leaves_in_mid_stream_is_no_error(caplog):
    ended = asyncio.Event()

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b"x" * 1000)
                await asyncio.sleep(0)
        finally:
            ended.set()

    world = world_where(handler)
    async with client_of(world) as client:
        answer = await client.post(CHAT, json={})
        answer.close()
        async with asyncio.timeout(5):
            await ended.wait()
    assert 'status="499"' in world.metrics.exposition().decode()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_head_that_cannot_be_sent_closes_the_connection_and_counts_as_500():
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"x-broken": "a\r\nb: c"})
        await response.prepare(request)
        return response

    world = world_where(handler)
    async with client_of(world) as client:
        with pytest.raises(ServerDisconnectedError):
            await client.post(CHAT, json={})
    assert 'status="500"' in world.metrics.exposition().decode()


async def test_a_write_to_a_client_that_just_left_is_no_error(caplog):
    async def handler(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.close()
        raise ConnectionResetError

    world = world_where(handler)
    async with client_of(world) as client:
        with pytest.raises(ServerDisconnectedError):
            await client.post(CHAT, json={})
    assert 'status="499"' in world.metrics.exposition().decode()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_connection_error_of_ours_is_not_taken_for_a_client_that_left():
    async def handler(request: web.Request) -> web.Response:
        raise ConnectionResetError("a store, say")

    async with client_of(world_where(handler)) as client, client.post(CHAT, json={}) as answer:
        assert answer.status == 500


async def test_every_answer_carries_a_request_id_of_its_own_and_keeps_the_upstreams():
    async def handler(request: web.Request) -> web.Response:
        return web.Response(headers={"x-request-id": "upstream-1", "x-context-request-id": "forged"})

    ids = []
    async with client_of(world_where(handler)) as client:
        for _ in range(2):
            async with client.post(CHAT, json={}) as answer:
                ids.append(answer.headers["x-context-request-id"])
                assert answer.headers["x-request-id"] == "upstream-1"
    assert len(set(ids)) == 2
    assert all(len(bytes.fromhex(each)) == 16 for each in ids)


async def test_the_server_header_is_ours_alone():
    async with client_of(World()) as client, client.get("/v1/models") as answer:
        assert answer.headers.getall("server") == ["forebay"]


async def test_a_store_that_fails_is_told_the_client_without_its_address_and_the_log_with_it(caplog):
    async def handler(request: web.Request) -> web.Response:
        raise StoreError("redis://10.1.2.3:6379/0: no answer within 250 ms")

    async with client_of(world_where(handler)) as client, client.post(CHAT, json={}) as answer:
        error = (await answer.json())["error"]
        assert (answer.status, error["code"]) == (503, "store_unavailable")
    assert error["message"] == "the store does not answer; try again later"
    (told,) = [record for record in caplog.records if "10.1.2.3" in record.getMessage()]
    assert told.fields["request_id"] == answer.headers["x-context-request-id"]
