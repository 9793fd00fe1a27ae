"""Which headers travel."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict

from proxy.upstream.headers import downward, upward

STAYING = ["Host", "Content-Length", "Content-Encoding", "Accept-Encoding", "Transfer-Encoding", "Connection", "TE"]
STAYING += ["Authorization", "Cookie", "X-API-Key", "Api-Key", "OpenAI-Organization", "OpenAI-Project", "Upgrade"]
STAYING += ["X-Context-Session", "x-context-anything", "Proxy-Authorization", "Keep-Alive", "Expect", "X-Goog-Api-Key"]


@pytest.mark.parametrize("name", STAYING)
def test_a_header_of_ours_stays(name: str) -> None:
    assert upward(CIMultiDict({name: "x"})) == {}


def test_what_connection_names_stays() -> None:
    assert upward(CIMultiDict({"Connection": "close, X-Hop", "X-Hop": "1", "X-Other": "2"})) == {"x-other": "2"}


@pytest.mark.parametrize(
    "name", ["user-agent", "x-stainless-lang", "traceparent", "anthropic-beta", "content-type", "accept"]
)
def test_any_other_goes_up(name: str) -> None:
    assert upward(CIMultiDict({name.title(): "v"})) == {name: "v"}


def test_bytes_that_are_no_text_do_not_go_up() -> None:
    assert upward({"x-odd": "caf\udce9", "x-even": "café"}) == {"x-even": "café"}


def test_only_listed_headers_come_down() -> None:
    listed = {
        "content-type": "a",
        "content-disposition": "b",
        "retry-after": "1",
        "x-request-id": "r",
        "x-ratelimit-x": "2",
    }
    assert downward({**listed, "server": "s", "date": "d", "set-cookie": "c", "content-encoding": "gzip"}) == listed


@pytest.mark.parametrize("value", ["a\r\nb", "caf\udce9", "é"])
def test_a_dirty_value_does_not_come_down(value: str) -> None:
    assert downward({"x-request-id": value}) == {}
