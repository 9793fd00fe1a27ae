"""The reasons of one request."""

from __future__ import annotations

from proxy.context import Degraded
from proxy.http.shortfalls import Shortfalls


def test_each_reason_counts_once_however_often_it_is_found() -> None:
    counted: list[Degraded] = []
    shortfalls = Shortfalls(counted.append)
    shortfalls.add("state", "json")
    shortfalls.add("state")
    shortfalls.add()
    assert counted == ["state", "json"]
    assert shortfalls.found == ("state", "json")
