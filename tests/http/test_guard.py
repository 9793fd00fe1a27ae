"""Without keys: loopback names only, no web page, JSON only."""

from __future__ import annotations

import pytest

from proxy.http.guard import names_loopback
from tests.http.http_builders import World, client_of, settings

CHAT = "/v1/chat/completions"


async def asked(method="POST", path=CHAT, mode="none", data=b"{}", **headers):
    headers = {"content-type": "application/json"} | headers
    key = None if mode == "none" else "fb-key-of-team-a"
    async with (
        client_of(World(settings=settings(mode)), key=key) as client,
        client.request(method, path, data=data, headers=headers) as answer,
    ):
        return answer.status, (await answer.json()).get("error", {}).get("code")


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8080", "127.0.0.1:9", "127.1.2.3", "[::1]", "[::1]:80", "LocalHost:1"]
)
def test_names_and_addresses_of_loopback_pass_with_any_port(host):
    assert names_loopback(host)


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "0.0.0.0",
     "[::2]", "[::1", "127.0.0.1@evil.example", "evil.example/127.0.0.1", "2130706433",
     "x@127.0.0.1", "localhost:evil", "localhost:80:80", "localhost:", "127.0.0.1/x", "localhost?", "localhost#x",
     "[::1]x", "::1", "localhost ", "[localhost]"],
)  # fmt: skip
def test_everything_else_does_not(host):
    assert not names_loopback(host)


async def test_a_rebound_name_is_403():
    assert await asked(host="evil.example:8080") == (403, "forbidden")


async def test_a_web_page_is_403_even_one_of_loopback():
    assert await asked(origin="http://localhost:3000") == (403, "forbidden")


async def test_a_preflight_is_403():
    preflight = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    assert await asked("OPTIONS", data=None, **preflight) == (403, "forbidden")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
async def test_a_post_that_is_not_json_is_415(content_type):
    assert await asked(**{"content-type": content_type}) == (415, "unsupported_media_type")


async def test_a_plain_client_passes():
    assert await asked() == (200, None)


async def test_reading_needs_no_content_type():
    assert (await asked("GET", "/v1/models", data=None))[0] == 200


async def test_with_keys_host_and_origin_do_not_matter():
    assert (await asked(mode="keys", host="proxy.internal", origin="https://app.internal"))[0] == 200


async def test_a_form_is_told_that_it_needs_keys():
    async with client_of(World(settings=settings("none")), key=None) as client:
        form = {"content-type": "multipart/form-data; boundary=x"}
        async with client.post("/v1/audio/transcriptions", data=b"--x--", headers=form) as answer:
            assert answer.status == 415
            assert "need keys" in (await answer.json())["error"]["message"]
        async with client.post("/v1/audio/transcriptions", json={}) as answer:
            assert answer.status == 415
            assert "needs keys" in (await answer.json())["error"]["message"]


async def test_with_keys_the_same_endpoint_only_asks_for_a_form():
    async with client_of(World()) as client, client.post("/v1/audio/transcriptions", json={}) as answer:
        assert (await answer.json())["error"]["message"].endswith("send a form")
