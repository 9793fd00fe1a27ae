"""The operator's secrets stay here, whatever a provider that refuses says of them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from urllib.parse import quote

import pytest
from pydantic import SecretStr

from proxy.errors import UpstreamError
from proxy.upstream import Route, Upstream
from proxy.upstream.redaction import Redactor
from tests.scripted_upstream import DONE, Json, ScriptedUpstream, Stream, chunk, completion, error, event
from tests.upstream.calls import KEY, ask, call, read, read_into

ODD = 'key/with-"quotes"-é'
HEADER_TOKEN = "header-token-0123"


def refusal(text: str) -> dict[str, object]:
    return {"error": {"message": text, "type": "x", "param": None, "code": "invalid_api_key"}}


@pytest.mark.parametrize("status", [400, 401, 500])
async def test_an_error_body_does_not_bring_the_key(
    upstream: Upstream, route: Route, provider: ScriptedUpstream, status: int
) -> None:
    provider.reply(error(status, refusal(f"Incorrect API key provided: {KEY}.")))
    async with upstream.open(call(route)) as answer:
        body = await read(answer)
    assert (answer.status, json.loads(body)) == (status, refusal("Incorrect API key provided: [redacted]."))


async def test_an_errors_headers_do_not_bring_the_key(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(error(401, headers={"x-request-id": f"r-{KEY}"}))
    async with upstream.open(call(route)) as answer:
        await read(answer)
    assert answer.headers["x-request-id"] == "r-[redacted]"


async def test_configured_headers_are_secrets_with_and_without_their_scheme(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    told = f"no access with {HEADER_TOKEN} (Bearer {HEADER_TOKEN})"
    provider.reply(error(403, refusal(told)))
    body = await ask(upstream, call(replace(route, headers={"x-gateway": f"Bearer {HEADER_TOKEN}", "x-team": "7"})))
    assert json.loads(body) == refusal("no access with [redacted] (Bearer [redacted])")


async def test_a_configured_query_is_secret_too(relay: Upstream, relayed: Route, provider: ScriptedUpstream) -> None:
    provider.reply(error(403, refusal("/v1?token=query-token-0123")))
    body = await ask(relay, call(replace(relayed, query={"token": "query-token-0123"})))
    assert json.loads(body) == refusal("/v1?token=[redacted]")


async def test_an_error_within_a_stream_does_not_bring_the_key(
    upstream: Upstream, route: Route, provider: ScriptedUpstream
) -> None:
    failed = event(refusal(f"bad key {KEY}"))
    at = failed.index(KEY.encode()) + 5
    provider.reply(Stream([chunk({"content": "hi"}), failed[:at], failed[at:]]))
    body, told = bytearray(), ""
    async with upstream.open(call(route, stream=True)) as answer:
        try:
            await read_into(body, answer)
        except UpstreamError as failure:
            told = str(failure)
    assert b"hi" in body
    assert "bad key [redacted]" in body.decode() + told
    assert KEY not in body.decode() + told


async def test_a_failure_before_the_first_chunk_does_not_tell_the_key(
    sdk: Upstream, native: Route, provider: ScriptedUpstream
) -> None:
    provider.reply(Json(refusal("x" * 200 + KEY)))
    with pytest.raises(UpstreamError) as caught:
        await ask(sdk, call(native))
    assert KEY[:8] not in str(caught.value)


async def test_a_successful_answer_is_not_touched(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    provider.reply(Json(completion({"content": KEY})), Stream([chunk({"content": KEY}), chunk({}, "stop"), DONE]))
    assert KEY.encode() in await ask(upstream, call(route))
    assert KEY.encode() in await ask(upstream, call(route, stream=True))


async def test_short_values_are_no_secrets(upstream: Upstream, route: Route, provider: ScriptedUpstream) -> None:
    provider.reply(error(400, refusal("7 preview models")))
    body = await ask(upstream, call(replace(route, headers={"x-team": "7", "x-version": "preview"})))
    assert json.loads(body) == refusal("7 preview models")


@pytest.mark.parametrize(
    "written",
    [
        ODD,
        json.dumps(ODD)[1:-1],
        json.dumps(ODD, ensure_ascii=False)[1:-1],
        json.dumps(ODD)[1:-1].replace("/", "\\/"),
        quote(ODD, safe=""),
        "".join(f"\\u{ord(each):04X}" for each in ODD),
    ],
)
def test_a_key_is_known_however_it_is_written(relayed: Route, written: str) -> None:
    redactor = Redactor(replace(relayed, api_key=SecretStr(ODD)))
    assert redactor.text(f'"{written}"') == '"[redacted]"'


@pytest.mark.parametrize("at", range(1, len(KEY)))
async def test_a_key_may_be_cut_anywhere(relayed: Route, at: int) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"bad key " + KEY[:at].encode()
        yield KEY[at:].encode() + b" here"

    assert b"".join([each async for each in Redactor(relayed).error(chunks())]) == b"bad key [redacted] here"
