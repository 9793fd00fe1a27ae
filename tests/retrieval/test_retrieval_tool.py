from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from policies.schema import Policy, Retrieval
from proxy.retrieval.tool import CODE_NAME, DEFINITION, DEFINITIONS, NAME, offers, with_tool, without_tool
from proxy.tokens import Counter
from proxy.wire import meaning
from proxy.wire.envelope import Envelope, slice_body
from tests.http.http_builders import route
from tests.retrieval.desk import POLICY, TOOLS


def request(**more: Any) -> Envelope:
    fields = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": TOOLS, **more}
    return slice_body(json.dumps({name: value for name, value in fields.items() if value is not ...}).encode())


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
def test_a_definition_takes_at_most_80_tokens(definition: bytes) -> None:
    for written in (definition.decode(), meaning.compact(json.loads(definition))):
        assert Counter("o200k_base").count(written) <= 80


@pytest.mark.parametrize(
    ("more", "offered"),
    [
        ({}, True),
        ({"tools": ...}, False),
        ({"tools": []}, False),
        ({"tools": None}, False),
        ({"n": 1}, True),
        ({"n": None}, True),
        ({"n": 2}, False),
        ({"modalities": ["text"]}, True),
        ({"modalities": ["text", "audio"]}, False),
        ({"audio": {"voice": "alloy"}}, False),
        ({"audio": None}, True),
        ({"web_search_options": {}}, False),
        ({"web_search_options": None}, True),
        ({"functions": [{"name": "f"}]}, False),
        ({"functions": []}, True),
        ({"tool_choice": "none"}, True),
        ({"tool_choice": "required"}, True),
        ({"tool_choice": {"type": "function", "function": {"name": "weather"}}}, True),
        ({"tools": [*TOOLS, {"type": "function", "function": {"name": NAME}}]}, False),
        ({"tools": [*TOOLS, {"type": "custom", "custom": {"name": NAME}}]}, False),
        ({"tools": [{"type": "function", "function": {"name": "other", "description": f"unlike {NAME}"}}]}, True),
        ({"response_format": {"type": "json_object"}}, True),
        ({"stream": True}, True),
    ],
)
def test_who_is_offered_the_tool(more: dict[str, Any], offered: bool) -> None:
    assert bool(offers(request(**more), route(), POLICY)) is offered


@pytest.mark.parametrize(("kind", "offered"), [("json_object", False), ("json_schema", False), ("text", True)])
def test_an_answer_in_json_gets_no_tool_through_litellm(kind: str, offered: bool) -> None:
    assert bool(offers(request(response_format={"type": kind}), route(transport="litellm"), POLICY)) is offered


def test_a_policy_without_retrieval_offers_nothing() -> None:
    assert not offers(request(), route(), Policy.model_construct(retrieval=Retrieval(enabled=False)))


@pytest.mark.parametrize(
    "tools", [b'[{"a":1}]', b'[ {"a":1} ,\n{"b":[1]}\n ]', b'[{"a":"]"}\t]', b'[{"a":1}\r\n\r\n]'], ids=range(4)
)
def test_the_tool_stands_behind_the_clients_and_every_other_byte_stays(tools: bytes) -> None:
    body = b'{"model": "m", "tools": ' + tools + b' , "messages":[{"role":"user","content":"]"}]}'
    added = with_tool(slice_body(body))
    assert json.loads(added)["tools"] == [*json.loads(tools), json.loads(DEFINITION)]
    assert added.replace(b"," + DEFINITION, b"") == body
    assert without_tool(added) == body


def test_a_definition_quoted_in_a_message_is_not_taken_for_ours() -> None:
    quoted = request(messages=[{"role": "user", "content": "," + DEFINITION.decode()}])
    assert without_tool(quoted.body) == quoted.body
    assert without_tool(with_tool(quoted)) == quoted.body


def test_a_route_of_another_name_changes_nothing() -> None:
    assert offers(request(), replace(route(), name="other"), POLICY)


BOTH = frozenset({NAME, CODE_NAME})


@pytest.mark.parametrize(
    ("theirs", "offered"),
    [((), {NAME, CODE_NAME}), ((NAME,), {CODE_NAME}), ((CODE_NAME,), {NAME}), ((CODE_NAME, NAME), set())],
)
def test_a_tool_whose_name_the_client_has_taken_is_not_offered(theirs: tuple[str, ...], offered: set[str]) -> None:
    own = [{"type": "function", "function": {"name": name}} for name in theirs]
    assert offers(request(tools=[*TOOLS, *own]), route(), POLICY, BOTH) == offered
    assert offers(request(tools=[*TOOLS, *own]), route(), POLICY) == offered & {NAME}


@pytest.mark.parametrize("tools", [BOTH, frozenset({NAME}), frozenset({CODE_NAME})], ids=["both", "read", "code"])
def test_tools_stand_in_one_order_and_leave_together(tools: frozenset[str]) -> None:
    plain = request()
    added = with_tool(plain, tools)
    names = [tool["function"]["name"] for tool in json.loads(added)["tools"]]
    assert names == ["weather", *(name for name in (NAME, CODE_NAME) if name in tools)]
    assert without_tool(added, tools) == plain.body


def test_of_a_client_who_has_our_very_definition_only_ours_is_taken_out() -> None:
    theirs = request(tools=[*TOOLS, json.loads(DEFINITION)])
    added = with_tool(theirs, frozenset({CODE_NAME}))
    assert without_tool(added, frozenset({CODE_NAME})) == theirs.body
