from __future__ import annotations

import re

import pytest

from proxy.http.headers import ResponseContext, context_headers

PLAIN = ResponseContext("ses_abc", "coding", "0f", received=1200, forwarded=900)
NAMES = [
    "x-context-session", "x-context-policy", "x-context-request-id", "x-context-received-tokens",
    "x-context-forwarded-tokens", "x-context-compacted-turns", "x-context-dropped-tokens", "x-context-cleared-tokens",
    "x-context-spilled-results", "x-context-spilled-tokens", "x-context-reduced-tokens", "x-context-added-tokens",
    "x-context-repeated-results", "x-context-repeated-calls", "x-context-batches", "x-context-summary",
]  # fmt: skip


def full(**changes):
    given = {name: getattr(PLAIN, name) for name in ResponseContext.__dataclass_fields__} | changes
    return context_headers(ResponseContext(**given))


def test_an_answer_without_edits_carries_exactly_the_names_that_always_stand():
    assert sorted(full()) == sorted(NAMES)


def test_the_rest_stands_where_it_has_something_to_say():
    headers = full(
        output_clamped=512, budget=[("system", 1200, 1600), ("active", 9, 10)], degraded=["state", "artifacts"]
    )
    assert headers["x-context-output-clamped"] == "512"
    assert headers["x-context-budget"] == "system=1200/1600;active=9/10"
    assert headers["x-context-degraded"] == "state,artifacts"
    assert sorted(headers) == sorted([*NAMES, "x-context-output-clamped", "x-context-budget", "x-context-degraded"])


def test_every_number_reaches_its_own_header():
    fields = [name for name, kind in ResponseContext.__annotations__.items() if kind == "int"]
    headers = full(**{name: 1000 + place for place, name in enumerate(fields)})
    told = {
        name.removeprefix("x-context-").removesuffix("-tokens").replace("-", "_"): value
        for name, value in headers.items()
    }
    assert {name: told[name] for name in fields} == {name: str(1000 + place) for place, name in enumerate(fields)}


@pytest.mark.parametrize("text", ["a\r\nx: y", "naïve", "\U0001f600", "a b;c=d,e", "x" * 10_000, "\udcff"])
def test_hostile_text_becomes_a_short_ascii_token(text):
    headers = full(session=text, policy=text, request_id=text, summary=text, degraded=[text], budget=[(text, 1, 2)])
    for name in ("session", "policy", "request-id", "summary", "degraded"):
        assert re.fullmatch(r"[A-Za-z0-9_.:/*+-]{1,128}", headers[f"x-context-{name}"])
    assert re.fullmatch(r"[A-Za-z0-9_.:/*+-]{1,128}=1/2", headers["x-context-budget"])
