"""envelope: what passes, what is refused, and with which `param`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.errors import RequestError
from proxy.wire.envelope import Envelope, slice_body

ONE = [{"role": "user", "content": "hi"}]


def body(**fields: Any) -> bytes:
    return json.dumps({"model": "m", "messages": ONE, **fields}).encode()


def refused(raw: bytes) -> RequestError:
    with pytest.raises(RequestError) as caught:
        slice_body(raw)
    return caught.value


def test_slices_every_value_and_message() -> None:
    raw = b' {"model" : "gpt-5",\n "messages":[ {"role":"user"} , {"role":"tool"}\n] ,"stream":true, "x": [1, 2] } \n'
    envelope = slice_body(raw)
    assert (envelope.model, envelope.stream) == ("gpt-5", True)
    assert [bytes(raw) for raw in envelope.messages] == [b'{"role":"user"}', b'{"role":"tool"}']
    assert {key: raw[slice(*span)] for key, span in envelope.spans.items()} == {
        "model": b'"gpt-5"',
        "messages": b'[ {"role":"user"} , {"role":"tool"}\n]',
        "stream": b"true",
        "x": b"[1, 2]",
    }
    assert envelope.body is raw


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"model": None}, "model"),
        ({"model": ""}, "model"),
        ({"model": 5}, "model"),
        ({"model": ["m"]}, "model"),
        ({"messages": None}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": "hi"}, "messages"),
        ({"messages": []}, "messages"),
        ({"stream": "true"}, "stream"),
        ({"stream": 1}, "stream"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(fields: dict[str, Any], param: str) -> None:
    assert refused(body(**fields)).param == param


@pytest.mark.parametrize("missing", ["model", "messages"])
def test_a_missing_field_is_named(missing: str) -> None:
    fields = json.loads(body())
    del fields[missing]
    error = refused(json.dumps(fields).encode())
    assert (error.status, error.param) == (400, missing)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b'"x"',
        b"null",
        b"{",
        b"\xef\xbb\xbf" + body(),
        body() + b"x",
        body()[:-1] + b',"x":NaN}',
        body()[:-1] + b',"x":[Infinity]}',
        body()[:-1] + b',"x":"\xff"}',
        body()[:-1] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        body()[:-1] + b',"x":"\\ud8"}',
        body().decode().encode("utf-16"),
    ],
)
def test_what_is_not_one_json_object_in_utf8_is_a_400(raw: bytes) -> None:
    assert refused(raw).status == 400


@pytest.mark.parametrize(
    "doubled",
    [
        b'{"model":"m","messages":[{}],"model":"m"}',
        b'{"model":"m","messages":[{}],"\\u006dodel":"n"}',
        b'{"n":12,"model":"m","messages":[{}],"n":1}',
        b'{"n":1,"n":12,"model":"m","messages":[{}]}',
        b'{"n":1,"n":1}',
        b'{"n":"a","n":"a,\\"b\\":1"}',
        b'{"n":1,"b":2,"n":",\\"b\\":2}"}',
    ],
)
def test_a_doubled_key_is_a_400(doubled: bytes) -> None:
    assert "stands twice" in str(refused(doubled))


@pytest.mark.parametrize("pairs", ['"a":1,"a":1,"b":2', '"a":1,"b":2,"a":1', '"a":12,"b":2,"a":1'])
def test_the_doubled_key_is_named(pairs: str) -> None:
    assert "'a' stands twice" in str(refused(f"{{{pairs}}}".encode()))


@pytest.mark.parametrize("fields", [{f"k{i}": 1 for i in range(1000)}, {"k" * 1001: 1}])
def test_keys_beyond_all_reason_are_a_400(fields: dict[str, Any]) -> None:
    assert "over 1000" in str(refused(body(**fields)))


def test_a_lone_surrogate_is_mended_where_it_stands_and_counted() -> None:
    raw = b'{"model":"m","messages":[{"role":"user","content":"\\ud83d x \\\\ud800"}],"k":"\\udc00"}'
    envelope = slice_body(raw)
    assert envelope.mended == 2
    assert envelope.body == raw.replace(b"\\ud83d", b"\\ufffd").replace(b"\\udc00", b"\\ufffd")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"max_tokens": 5}, 5),
        ({"max_completion_tokens": 7, "max_tokens": 5}, 7),
        ({"max_completion_tokens": None, "max_tokens": 5}, 5),
        ({"max_tokens": 0}, 0),
    ],
)
def test_max_output_is_the_clients_maximum(fields: dict[str, Any], expected: int | None) -> None:
    assert slice_body(body(**fields)).max_output == expected


@pytest.mark.parametrize("value", ["5", 5.0, True, [5], -1])
@pytest.mark.parametrize("key", ["max_tokens", "max_completion_tokens"])
def test_a_maximum_that_is_no_whole_number_is_named(key: str, value: Any) -> None:
    with pytest.raises(RequestError) as caught:
        slice_body(body(**{key: value})).max_output  # noqa: B018 -- the property raises
    assert caught.value.param == key


@pytest.mark.parametrize(("tools", "expected"), [([], False), ([{"type": "function"}], True), (None, False)])
def test_an_empty_list_of_tools_offers_none(tools: Any, expected: bool) -> None:
    assert slice_body(body(tools=tools)).has_tools is expected
    assert slice_body(json.dumps(json.loads(body(tools=tools)), indent=1).encode()).has_tools is expected


def test_a_value_is_decoded_strictly_and_once() -> None:
    envelope = slice_body(b'{"model":"m","messages":[{}],"a":{"k":[1]},"b":{"k":1,"k":2}}')
    assert envelope.value("a") is envelope.value("a")
    assert envelope.value("none", 3) == 3
    with pytest.raises(RequestError, match="stands twice"):
        envelope.value("b")


def test_the_envelope_of_a_null_stream_does_not_stream() -> None:
    envelope: Envelope = slice_body(body(stream=None))
    assert envelope.stream is False
