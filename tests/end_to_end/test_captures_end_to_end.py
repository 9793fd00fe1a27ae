"""Requests of real clients, as they were captured, reach the provider as they were sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import ClientSession

from proxy.app import Running
from proxy.retrieval.tool import NAME, without_tool
from tests.conftest import SHARED
from tests.end_to_end.house import KEY, OWN_NAMES, UPSTREAM_NAME, Provider, ask, chat, look, settled

pytestmark = pytest.mark.asyncio(loop_scope="module")

Dump = Callable[[Any], bytes]


@dataclass(frozen=True)
class Capture:
    """One chat completion of a real client."""

    name: str
    headers: dict[str, str]
    body: dict[str, Any]


def _captures() -> Iterator[Capture]:
    for path in sorted((SHARED / "captures").glob("*/*.json")):
        told = json.loads(path.read_text())
        if told["path"] == "/v1/chat/completions":
            yield Capture(f"{path.parent.name}-{path.stem}", told["headers"], told["body"])


CAPTURES = list(_captures())
DUMPS: dict[str, Dump] = {
    "default": lambda body: json.dumps(body).encode(),
    "compact": lambda body: json.dumps(body, separators=(",", ":")).encode(),
    "unicode": lambda body: json.dumps(body, ensure_ascii=False).encode(),
}

each_capture = pytest.mark.parametrize(
    "capture",
    CAPTURES or [pytest.param(None, marks=pytest.mark.skip(reason="there is no ../shared beside this checkout"))],
    ids=lambda capture: capture.name if capture else "none",
)
each_dump = pytest.mark.parametrize("dump", DUMPS.values(), ids=DUMPS)


@each_dump
@each_capture
async def test_only_the_models_name_and_our_tool_differ_upstream(
    capture: Capture, dump: Dump, client: ClientSession, provider: Provider
) -> None:
    sent = dump(capture.body | {"model": "relay-32000"})
    answer = await ask(client, sent, headers=capture.headers)
    assert answer.status == 200
    assert without_tool(provider.only.body) == dump(capture.body | {"model": UPSTREAM_NAME})


@each_dump
@each_capture
async def test_every_other_byte_is_the_same_where_the_name_is(
    capture: Capture, dump: Dump, client: ClientSession, provider: Provider
) -> None:
    assert capture.body["model"] in OWN_NAMES
    answer = await ask(client, dump(capture.body), headers=capture.headers)
    assert answer.status == 200
    assert without_tool(provider.only.body) == dump(capture.body)


@each_capture
async def test_our_tool_is_offered_where_the_client_has_tools_and_nowhere_else(
    capture: Capture, client: ClientSession, provider: Provider
) -> None:
    await ask(client, capture.body)
    names = [tool["function"]["name"] for tool in provider.only.json.get("tools", [])]
    assert names.count(NAME) == bool(capture.body.get("tools"))


@each_capture
async def test_the_clients_own_headers_go_on_but_for_its_key(
    capture: Capture, client: ClientSession, provider: Provider
) -> None:
    await ask(client, capture.body, headers=capture.headers)
    arrived = provider.only.headers
    passed = {name: value for name, value in capture.headers.items() if name not in _OURS}
    assert {name: arrived.get(name) for name in passed} == passed
    assert arrived["authorization"] == f"Bearer {KEY}"


_OURS = {"authorization", "host", "content-length", "accept-encoding", "connection", "x-api-key"}

_STOPPED = {
    "authorization": "Bearer sk-client",
    "api-key": "client-secret",
    "x-api-key": "client-secret",
    "cookie": "who=client-secret",
    "openai-organization": "org-client",
    "openai-project": "proj-client",
    "proxy-authorization": "Basic client-secret",
    "te": "trailers",
    "x-context-session": "mine",
    "x-context-parent": "parent",
    "x-context-policy": "default",
    "x-context-mode": "enforce",
    "x-context-of-a-later-version": "1",
}
_PASSED = {
    "user-agent": "agent/1.0",
    "accept": "application/json",
    "x-stainless-retry-count": "0",
    "openai-beta": "assistants=v2",
    "x-client-request-id": "req-1",
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "x-something-new": "kept",
}


async def test_only_headers_that_are_the_providers_business_arrive(client: ClientSession, provider: Provider) -> None:
    hops = {"connection": "keep-alive, x-for-this-hop", "x-for-this-hop": "1"}
    answer = await ask(client, chat("relay-32000"), headers=_STOPPED | _PASSED | hops)
    assert answer.status == 200
    arrived = {name.lower(): value for name, value in provider.only.headers.items()}
    assert {name: arrived[name] for name in _PASSED} == _PASSED
    assert arrived.pop("authorization") == f"Bearer {KEY}"
    assert not arrived.keys() & (_STOPPED | {"x-for-this-hop": ""}).keys()
    assert "client-secret" not in "".join(arrived.values())


@pytest.mark.parametrize(
    "header",
    [
        "x-context-session",
        "x-session-id",
        "x-session-affinity",
        "session-id",
        "thread-id",
        "x-claude-code-session-id",
    ],
)
async def test_a_known_clients_header_names_the_session(header: str, client: ClientSession, provider: Provider) -> None:
    one = await ask(client, chat("relay-32000"), headers={header: f"one by {header}"})
    again = await ask(
        client, chat("relay-32000", {"role": "user", "content": "new"}), headers={header: f"one by {header}"}
    )
    other = await ask(client, chat("relay-32000"), headers={header: f"other by {header}"})
    names = [answer.headers["x-context-session"] for answer in (one, again, other)]
    assert names[0] == names[1] != names[2]


@pytest.mark.parametrize("field", [{"prompt_cache_key": "a-key"}, {"metadata": {"session_id": "an-id"}}])
async def test_a_field_of_the_body_names_the_session(
    field: dict[str, Any], client: ClientSession, provider: Provider
) -> None:
    one = await ask(client, chat("relay-32000", **field))
    again = await ask(client, chat("relay-32000", {"role": "user", "content": "new"}, **field))
    unnamed = await ask(client, chat("relay-32000"))
    names = [answer.headers["x-context-session"] for answer in (one, again, unnamed)]
    assert names[0] == names[1] != names[2]


async def test_a_person_or_a_request_id_names_no_session(client: ClientSession, provider: Provider) -> None:
    named = await ask(
        client,
        chat("relay-32000", user="jo", safety_identifier="jo"),
        headers={"x-client-request-id": "req-7"},
    )
    unnamed = await ask(client, chat("relay-32000"))
    assert named.headers["x-context-session"] == unnamed.headers["x-context-session"]


async def test_opencodes_requests_are_one_session_found_by_its_own_id(
    proxy: Running, client: ClientSession, provider: Provider
) -> None:
    mine = [capture for capture in CAPTURES if capture.name.startswith("opencode-")]
    if not mine:
        pytest.skip("there is no ../shared beside this checkout")
    answers = [await ask(client, each.body, headers=each.headers) for each in mine]
    (session,) = {answer.headers["x-context-session"] for answer in answers}
    await settled(proxy)
    found = await look(client, f"/v1/context/sessions/{mine[0].headers['x-session-id']}")
    assert found.status == 200, found.body
    assert found.json["session"] == session
