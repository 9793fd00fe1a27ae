"""One normaliser for everybody's usage."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.upstream import Usage
from proxy.upstream.usage import normalise, usage_of
from tests.scripted_upstream import DONE, chunk, event, usage_chunk

THE_SAME = {
    "openai": {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 60}},
    "deepseek": {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "prompt_cache_hit_tokens": 60,
        "prompt_cache_miss_tokens": 40,
    },
    "anthropic": {"input_tokens": 40, "output_tokens": 7, "cache_read_input_tokens": 60},
    "openai responses": {"input_tokens": 100, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 60}},
    "both, details null": {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "prompt_tokens_details": None,
        "cache_read_input_tokens": 60,
    },
}


@pytest.mark.parametrize("fields", THE_SAME.values(), ids=THE_SAME)
def test_every_shape_says_the_same(fields: dict[str, Any]) -> None:
    assert normalise(fields) == Usage(input_tokens=100, output_tokens=7, cache_read_tokens=60)


def test_tokens_written_to_the_cache_are_input_too() -> None:
    fields = {"input_tokens": 3, "output_tokens": 1, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2}
    assert normalise(fields) == Usage(10, 1, cache_read_tokens=5, cache_write_tokens=2)


@pytest.mark.parametrize("fields", [{"prompt_tokens": None}, {"prompt_tokens": "many"}, {"prompt_tokens": -1}])
def test_what_is_no_number_counts_nothing(fields: dict[str, Any]) -> None:
    assert normalise(fields) == Usage(0, 0)


def test_an_object_that_counts_nothing_is_no_usage() -> None:
    assert normalise({"seconds": 3}) is None


def test_a_whole_body_states_its_usage() -> None:
    assert usage_of(json.dumps({"choices": [], "usage": {"prompt_tokens": 5}}).encode(), False) == Usage(5, 0)


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'{"usage": 3}', b'{"usage": null}', b'{"choices": [', b"\xff"]
)
def test_a_body_without_usage_has_none(body: bytes) -> None:
    assert usage_of(body, False) is None


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_the_last_usage_of_a_stream_counts(newline: bytes) -> None:
    early = event(chunk({"content": "x"}, usage={"prompt_tokens": 1, "completion_tokens": 1}))
    late = event(usage_chunk({"prompt_tokens": 5, "completion_tokens": 2}))
    stream = b'ntent": "cut off"}}]}\n\n' + early + late + event(chunk({}, "stop", usage=None)) + DONE
    assert usage_of(stream.replace(b"\n", newline), True) == Usage(5, 2)


def test_text_about_usage_is_no_usage() -> None:
    assert usage_of(event(chunk({"content": '"usage": {"prompt_tokens": 5}'})) + DONE, True) is None
