"""The edges of the HTTP side: paths, methods, models and options; what every answer says."""

from __future__ import annotations

import json

import pytest
from aiohttp import ClientSession

from tests.end_to_end.house import UPSTREAM_NAME, Provider, ask, chat, history, look
from tests.scripted_upstream import error

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOOD = json.dumps(chat("relay-32000")).encode()


@pytest.mark.parametrize("name", ["nobody-knows-7", "relay-32000 ", "line\r\nbreak", "å" * 300])
async def test_an_unknown_model_is_not_found(name: str, client: ClientSession, provider: Provider) -> None:
    answer = await ask(client, chat(name))
    assert (answer.status, answer.error["code"], answer.error["param"]) == (404, "model_not_found", "model")
    assert provider.requests == []


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_another_method_is_not_allowed(method: str, client: ClientSession, provider: Provider) -> None:
    answer = await look(client, "/v1/chat/completions", method)
    assert (answer.status, answer.error["code"], answer.headers["allow"]) == (405, "method_not_allowed", "POST")


@pytest.mark.parametrize(
    "path", ["/v1/responses", "/v1/files", "/v1/threads/t", "/v1/batches", "/v1/", "/nothing", "/"]
)
async def test_an_unknown_path_is_not_found(path: str, client: ClientSession, provider: Provider) -> None:
    for answer in (await look(client, path), await ask(client, GOOD, path)):
        assert (answer.status, answer.error["code"]) == (404, "not_found")
        assert answer.error.keys() == {"message", "type", "param", "code"}
    assert provider.requests == []


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/v1/models", "/v1/models/none", "/nothing", "/v1/chat/completions"]
)
async def test_every_answer_has_an_id_of_its_own(path: str, client: ClientSession, provider: Provider) -> None:
    first, second = await look(client, path), await look(client, path)
    assert first.headers["x-context-request-id"] != second.headers["x-context-request-id"]


async def test_the_providers_request_id_is_not_ours(client: ClientSession, provider: Provider) -> None:
    provider.reply(
        error(500, headers={"x-request-id": "req_up", "set-cookie": "a=b", "server": "up", "x-internal": "1"})
    )
    answer = await ask(client, GOOD)
    assert (answer.status, answer.headers["x-request-id"]) == (500, "req_up")
    assert answer.headers["x-context-request-id"] != "req_up"
    assert not {"set-cookie", "x-internal"} & {name.lower() for name in answer.headers}
    assert answer.headers.getall("server") == ["forebay"]


async def test_observe_counts_and_changes_nothing(client: ClientSession, provider: Provider) -> None:
    sent = chat("relay-1000", *history(8))
    answer = await ask(client, sent, headers={"x-context-mode": "observe"})
    assert answer.status == 200
    assert provider.only.body == json.dumps(sent | {"model": UPSTREAM_NAME}).encode()
    assert answer.number("received-tokens") == answer.number("forwarded-tokens") > 1_000
    assert "history=" in answer.headers["x-context-budget"]


async def test_off_forwards_only(client: ClientSession, provider: Provider) -> None:
    sent = chat("relay-1000", *history(8))
    answer = await ask(client, sent, headers={"x-context-mode": "off"})
    assert answer.status == 200
    assert provider.only.body == json.dumps(sent | {"model": UPSTREAM_NAME}).encode()


@pytest.mark.parametrize(
    ("header", "value", "refusal"),
    [
        ("x-context-policy", "nobody-wrote-it", (403, "forbidden")),
        ("x-context-policy", "", (403, "forbidden")),
        ("x-context-mode", "sometimes", (400, "invalid_request_error")),
        ("x-context-isolate", "yes", (400, "invalid_request_error")),
    ],
)
async def test_an_option_that_cannot_be_had_is_refused(
    header: str, value: str, refusal: tuple[int, str], client: ClientSession, provider: Provider
) -> None:
    answer = await ask(client, GOOD, headers={header: value})
    assert (answer.status, answer.error["code"], answer.error["param"]) == (*refusal, header)
    assert provider.requests == []
