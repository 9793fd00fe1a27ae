"""What the log says of a whole request: tokens and times always, bodies only where the operator asks for them."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from proxy.app import running
from proxy.http.body_log import MOST_BYTES
from proxy.http.logs import formatter
from proxy.settings import LoggingSettings
from tests.faults.bench import NO_STORE, an_agent, model, settings
from tests.scripted_upstream import DONE, Json, ScriptedUpstream, Stream, chunk

KEY = "sk-the-operators-own-key-0123456789"


async def logged(
    folder: Path, caplog: pytest.LogCaptureFixture, *, bodies: bool, reply: Any = None, **more: Any
) -> dict[str, dict[str, Any]]:
    """The lines of one completion, by message."""
    caplog.set_level(logging.INFO, "proxy")
    async with ScriptedUpstream() as provider, an_agent() as http:
        row = model(provider.url).model_copy(update={"api_key": SecretStr(KEY)})
        configured = settings(folder, row, state_url=NO_STORE)
        configured = configured.model_copy(update={"logging": LoggingSettings(bodies=bodies)})
        if reply is not None:
            provider.reply(reply)
        async with running(configured) as proxy:
            body = {"model": "m", "messages": [{"role": "user", "content": "go"}]} | more
            async with http.post(f"{proxy.url}/v1/chat/completions", json=body) as answer:
                await answer.read()
    lines = [json.loads(formatter("json").format(record)) for record in caplog.records]
    return {line["message"]: line for line in lines if line["message"] in ("request", "bodies")}


async def test_a_completion_tells_tokens_and_times(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stream = Stream([chunk({"content": "hi"}), chunk({}, "stop"), DONE])
    line = (await logged(tmp_path, caplog, bodies=False, reply=stream, stream=True))["request"]
    assert (line["model"], line["tenant"], line["status"], line["stream"]) == ("m", "local", 200, True)
    assert line["policy"] == "default"
    assert line["received_tokens"] > 0
    assert line["forwarded_tokens"] >= line["received_tokens"]
    assert 0 < line["overhead_seconds"] <= line["first_byte_seconds"] <= line["seconds"]
    assert line["degraded"] == ["state"]


async def test_what_the_provider_billed_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    usage = {"prompt_tokens": 70, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 50}}
    line = (await logged(tmp_path, caplog, bodies=False, reply=Json({"choices": [], "usage": usage})))["request"]
    assert (line["input_tokens"], line["cache_read_tokens"], line["output_tokens"]) == (70, 50, 7)


async def test_without_being_asked_for_no_body_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    lines = await logged(tmp_path, caplog, bodies=False, messages=[{"role": "user", "content": "words of a person"}])
    assert list(lines) == ["request"]
    assert "words of a person" not in caplog.text


@pytest.mark.parametrize("stream", [False, True])
async def test_bodies_are_logged_where_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, stream: bool
) -> None:
    lines = await logged(
        tmp_path, caplog, bodies=True, stream=stream, messages=[{"role": "user", "content": "words of a person"}]
    )
    assert lines["bodies"]["request_id"] == lines["request"]["request_id"]
    assert "words of a person" in lines["bodies"]["request_body"]
    assert ("[DONE]" if stream else "words of a person") in lines["bodies"]["answer_body"], "the provider echoes"


async def test_only_the_beginning_of_a_body_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = "x" * 4 * MOST_BYTES
    line = (await logged(tmp_path, caplog, bodies=True, messages=[{"role": "user", "content": text}]))["bodies"]
    assert len(line["request_body"]) == MOST_BYTES


@pytest.mark.parametrize("before", [0, MOST_BYTES - 100, MOST_BYTES - 70])
async def test_the_operators_keys_are_taken_out_wherever_they_stand(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, before: int
) -> None:
    text = "x" * before + KEY
    line = (await logged(tmp_path, caplog, bodies=True, messages=[{"role": "user", "content": text}]))["bodies"]
    assert KEY[:8] not in line["request_body"]
