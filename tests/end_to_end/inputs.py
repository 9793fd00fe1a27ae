"""The request bodies of `../shared/inputs`, and the check that what went upstream is still a request."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from proxy.demo.structure import changed_by_the_way, violations
from tests.conftest import SHARED
from tests.end_to_end.house import WINDOWS, Answer, Provider

TIGHT = tuple(window for window in WINDOWS if window <= 1_000)

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="there is no ../shared beside this checkout")


def given(number: str) -> dict[str, Any]:
    """The input of this number."""
    (path,) = (SHARED / "inputs").glob(f"{number}-*.json")
    body: dict[str, Any] = json.loads(path.read_text())
    return body


def raw(number: str, model: str) -> bytes:
    """The same as it lies on disk, for another model."""
    (path,) = (SHARED / "inputs").glob(f"{number}-*.json")
    return re.sub(rb'"model": "[^"]*"', f'"model": "{model}"'.encode(), path.read_bytes(), count=1)


def forwarded(answer: Answer, provider: Provider, sent: dict[str, Any]) -> dict[str, Any] | None:
    """What went upstream, checked as a strict provider would; None where the brake answered."""
    if answer.status == 400:
        assert answer.error["code"] == "context_length_exceeded"
        assert provider.requests == []
        return None
    assert answer.status == 200
    got: dict[str, Any] = provider.only.json
    assert violations(got) == ()
    assert changed_by_the_way(got, sent) == ()
    return got


def unbroken(times: int) -> dict[str, Any]:
    """Input 05 with its unbroken runs so many times as long."""
    sent = given("05")
    log = sent["messages"][3]
    log["content"] = re.sub(r"(.)\1{99,}", lambda run: run[0] * times, log["content"])
    return sent


def names_below(folder: str) -> list[str]:
    """The name of every file and folder below this one."""
    return [path.name for path in Path(folder).rglob("*")]
