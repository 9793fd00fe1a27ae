from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from yarl import URL

from proxy.http.logs import formatter
from tests.http.http_builders import KEY_A, World, client_of, serving

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, logger="proxy")

    def rendered(style: str) -> list[str]:
        return [formatter(style).format(record) for record in caplog.records if record.name == "proxy.http.access"]

    return rendered


async def test_one_line_says_who_asked_for_what_and_how_it_went(lines):
    async with client_of(World()) as client, client.get("/v1/models?token=canary-1") as answer:
        assert answer.status == 200
    (line,) = map(json.loads, lines("json"))
    assert line["request_id"] == answer.headers["x-context-request-id"]
    told = [line[name] for name in ("tenant", "method", "path", "status", "model")]
    assert told == ["team-a", "GET", "/v1/models", 200, "other"]
    assert line["seconds"] >= 0


@pytest.mark.parametrize("style", ["json", "text"])
async def test_no_line_holds_a_key_a_cookie_a_query_or_a_body(lines, style):
    headers = {"cookie": "canary-2=1", "x-api-key": "canary-3"}
    async with (
        client_of(World()) as client,
        client.post("/v1/chat/completions?q=canary-4", json={"a": "canary-5"}, headers=headers),
    ):
        pass
    (line,) = lines(style)
    assert "canary" not in line
    assert KEY_A not in line


async def test_an_unauthorised_request_is_logged_without_a_tenant(lines):
    async with client_of(World(), key="fb-wrong") as client, client.get("/v1/models"):
        pass
    (line,) = map(json.loads, lines("json"))
    assert (line["tenant"], line["status"]) == ("unknown", 401)


@pytest.mark.parametrize("style", ["json", "text"])
async def test_a_path_with_a_line_break_stays_on_its_line(lines, style):
    async with client_of(World()) as client, client.get("/v1/a%0d%0aforged", headers={}):
        pass
    (line,) = lines(style)
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize("style", ["json", "text"])
def test_a_message_with_line_breaks_stays_on_its_line(style):
    record = logging.makeLogRecord({"name": "proxy", "msg": "one\r\ntwo"})
    assert len(formatter(style).format(record).splitlines()) == 1


def test_text_lines_quote_what_could_be_taken_for_another_field():
    record = logging.makeLogRecord(
        {"name": "proxy", "msg": "request", "fields": {"model": "a status=200", "status": 500}}
    )
    assert formatter("text").format(record).endswith('request model="a status=200" status=500')


@pytest.mark.parametrize(
    "malformed",
    [
        b"GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer canary-6\x01\r\n\r\n",
        b"GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + b"canary-7" * 10_000 + b"\r\n\r\n",
    ],
)
async def test_a_malformed_request_is_logged_without_what_it_said(caplog, malformed):
    caplog.set_level(logging.DEBUG)
    async with serving(World().app()) as address:
        reader, writer = await asyncio.open_connection("127.0.0.1", URL(address).port)
        writer.write(malformed)
        assert (await reader.read()).startswith(b"HTTP/1.0 400")
        writer.close()
        await writer.wait_closed()
    assert "malformed request: " in caplog.text
    assert "canary" not in caplog.text


@pytest.mark.parametrize("style", ["json", "text"])
def test_a_traceback_is_kept(style, caplog):
    try:
        int("told")
    except ValueError:
        logging.getLogger("proxy").exception("bad")
    assert "ValueError: invalid literal" in formatter(style).format(caplog.records[0])


def test_libraries_keep_their_details_to_themselves_at_every_level():
    program = """
import logging
from proxy.http.logs import log_as
from proxy.settings import LoggingSettings
log_as(LoggingSettings(level="debug", format="text"))
logging.getLogger("httpcore.http11").debug("authorization: CANARY")
logging.getLogger("httpx").info("CANARY")
logging.getLogger("proxy.somewhere").debug("ours")
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT).stderr
    assert "ours" in told
    assert "CANARY" not in told
