"""Endpoints beside chat: untouched where the model is relayed, refused where it is not."""

from __future__ import annotations

import json

import pytest
from aiohttp import ClientPayloadError, FormData

from proxy.errors import UpstreamError, UpstreamTimeout
from proxy.http.relayed import RELAYED
from tests.http.http_builders import FakeAnswer, FakeCatalog, World, client_of, route

JSON = {"content-type": "application/json"}
BODY = b'{ "input" : ["a", 1.0e5, "\\u00e9"],\n "model":"gpt", "x": {"model": "inner"} }'
BOUNDARY = "limit-7"
FORM_TYPE = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}


def form(*fields: tuple[str, bytes]) -> bytes:
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + value + b"\r\n"
        for name, value in fields
    ]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def world(model="gpt", **kwargs):
    return World(catalog=FakeCatalog(route(model=model, **kwargs)))


async def posted(of: World, path: str, data, headers=JSON):
    async with client_of(of) as client, client.post(f"/v1/{path}", data=data, headers=headers) as answer:
        return answer, await answer.read()


def code(body: bytes) -> str:
    return json.loads(body)["error"]["code"]


@pytest.mark.parametrize("path", [path for path, kind in RELAYED.items() if kind == "json"])
async def test_a_json_body_goes_on_byte_for_byte(path):
    of = world()
    answer, body = await posted(of, path, BODY)
    assert (answer.status, body) == (200, b'{"ok": true}')
    assert [(call.path, call.body) for call in of.upstream.calls] == [(path, BODY)]


@pytest.mark.parametrize("path", [path for path, kind in RELAYED.items() if kind == "multipart"])
async def test_a_form_goes_on_byte_for_byte(path):
    of = world()
    data = form(("file", bytes(range(256)) * 10), ("model", b"gpt"))
    await posted(of, path, data, FORM_TYPE)
    assert [(call.path, call.body) for call in of.upstream.calls] == [(path, data)]


async def test_another_name_upstream_replaces_the_model_and_no_other_byte():
    of = world(model="vendor/gpt-\u00e9")
    await posted(of, "embeddings", BODY)
    assert of.upstream.calls[0].body == BODY.replace(b'"gpt"', b'"vendor/gpt-\\u00e9"')


async def test_another_name_upstream_replaces_the_forms_field_and_no_other_byte():
    of = world(model="vendor-gpt")
    await posted(of, "audio/transcriptions", form(("model", b"gpt"), ("prompt", b"model gpt")), FORM_TYPE)
    assert of.upstream.calls[0].body == form(("model", b"vendor-gpt"), ("prompt", b"model gpt"))


async def test_a_form_of_a_real_client_is_understood():
    data = FormData()
    data.add_field("file", b"RIFF\r\n--fake\r\n\r\n", filename="a.wav", content_type="audio/wav")
    data.add_field("model", "gpt")
    of = world()
    answer, _ = await posted(of, "audio/transcriptions", data, {})
    assert (answer.status, len(of.upstream.calls)) == (200, 1)


@pytest.mark.parametrize(
    "body",
    [b"[]", b"{", b"{}", b'{"model": 7}', b'{"model": ""}', b"", b'{"model": "gpt", "model": "gpt"}',
     b'{"model": "gpt", "a": 1, "model": "other"}', b'{"model": "other", "\\u006dodel": "gpt"}',
     b'{"a": 1, "a": 2, "model": "gpt"}', b'{"model": "gpt"} x',
     b'{"model":"abcd}","model":"gpt"}',
     b'{"model":"gpt","model":"gpt","a":1}',
     b'{"model":"gpt","x":' + b"[" * 100_000],
)  # fmt: skip
async def test_a_json_body_that_does_not_name_one_model_is_400_and_goes_nowhere(body):
    of = world()
    answer, text = await posted(of, "embeddings", body)
    assert (answer.status, code(text), of.upstream.calls) == (400, "invalid_request_error", [])


@pytest.mark.parametrize(
    "body",
    [form(("file", b"x")), form(("model", b"gpt"), ("model", b"other")), form(("model", b"gpt"))[:-6], b"", b"junk",
     form(("model", b""))],
)  # fmt: skip
async def test_a_form_that_does_not_name_one_model_is_400_and_goes_nowhere(body):
    of = world()
    answer, text = await posted(of, "audio/transcriptions", body, FORM_TYPE)
    assert (answer.status, code(text), of.upstream.calls) == (400, "invalid_request_error", [])


async def test_a_form_without_a_boundary_is_400():
    answer, _ = await posted(world(), "audio/transcriptions", b"x", {"content-type": "multipart/form-data"})
    assert answer.status == 400


async def test_image_edits_as_json_could_name_stored_files_and_are_415():
    answer, text = await posted(world(), "images/edits", b'{"model": "gpt", "images": [{"file_id": "f"}]}')
    assert (answer.status, code(text)) == (415, "unsupported_media_type")


async def test_a_model_behind_the_sdk_is_400_and_says_what_it_needs():
    answer, text = await posted(world(transport="litellm"), "embeddings", BODY)
    assert answer.status == 400
    assert "needs a model that is relayed" in json.loads(text)["error"]["message"]


async def test_an_unknown_model_is_404():
    answer, text = await posted(world(), "embeddings", b'{"model": "nobody"}')
    assert (answer.status, code(text)) == (404, "model_not_found")


async def test_the_upstreams_status_headers_and_body_come_back():
    of = world()
    of.upstream.answer = FakeAnswer(429, {"retry-after": "9", "x-request-id": "up-1"}, (b"slow",))
    answer, body = await posted(of, "embeddings", BODY)
    told = (answer.status, answer.headers["retry-after"], answer.headers["x-request-id"], body)
    assert told == (429, "9", "up-1", b"slow")
    assert b'forebay_upstream_errors_total{kind="status_429",model="gpt"} 1.0' in of.metrics.exposition()


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [(UpstreamError("gone"), 502, "connection"), (UpstreamTimeout("silent"), 504, "timeout")],
)
async def test_an_upstream_that_cannot_be_asked_is_answered_and_counted(error, status, kind):
    of = world()
    of.upstream.refuses_with = error
    answer, text = await posted(of, "embeddings", BODY)
    assert (answer.status, code(text)) == (status, error.code)
    assert f'forebay_upstream_errors_total{{kind="{kind}",model="gpt"}} 1.0' in of.metrics.exposition().decode()


async def test_an_answer_that_breaks_off_is_cut_for_the_client_too():
    of = world()
    of.upstream.answer = FakeAnswer(fails_with=UpstreamError("broke off", kind="truncated"))
    async with client_of(of) as client, client.post("/v1/embeddings", data=BODY, headers=JSON) as answer:
        with pytest.raises(ClientPayloadError):
            await answer.read()


async def test_the_request_counts_under_its_model_and_as_a_stream_where_it_asks_for_one():
    of = world()
    await posted(of, "completions", b'{"model": "gpt", "stream": true}')
    page = of.metrics.exposition().decode()
    assert 'forebay_requests_total{model="gpt",status="200",tenant="team-a"} 1.0' in page
    assert 'forebay_request_seconds_count{model="gpt",stream="true"} 1.0' in page
    assert 'forebay_requests_in_flight{model="gpt"} 0.0' in page
    assert of.upstream.calls[0].stream
