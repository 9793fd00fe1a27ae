"""Two hundred turns of an agent at a small and at a common window: the hard budget on every request, every preset."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from proxy.demo.structure import changed_by_the_way, violations
from tests.laws.histories import requests_of
from tests.laws.proxied import Seen, dumped, engine, proxied

TURNS = 200
MAX_OUTPUT = 2_000
_LINES = (3, 8, 15, 4, 40, 6, 120, 10, 25, 500)
"""Lines of the results in turn: most are small, one in ten is a log of thousands of tokens."""
_TOOL = {"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}}


def _turn(number: int) -> list[dict[str, Any]]:
    """One call and its result; every seventh call writes a file."""
    body = "\n".join(
        f"    value_{number}_{line} = measure(dock={line})" for line in range(150 if number % 7 == 0 else 2)
    )
    arguments = json.dumps({"path": f"src/dock_{number % 23}.py", "text": body})
    id_ = f"call_{number}"
    call = {"id": id_, "type": "function", "function": {"name": "run", "arguments": arguments}}
    result = "\n".join(
        f"{'ERROR ' if line == number else ''}crate {number}-{line} moved to berth {line * number % 97}"
        for line in range(_LINES[number % len(_LINES)])
    )
    return [
        {"role": "assistant", "content": f"Step {number}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": id_, "content": result},
    ]


@cache
def _session() -> list[bytes]:
    messages = [
        {"role": "system", "content": "You move crates between berths. " * 20},
        {"role": "user", "content": "Empty the north quay."},
    ]
    for number in range(TURNS):
        messages += _turn(number)
        if number % 40 == 39:
            messages.append({"role": "user", "content": f"Now the quay number {number}, please."})
    body = {"model": "m", "messages": messages, "tools": [_TOOL], "max_tokens": MAX_OUTPUT}
    return [dumped(request) for request in requests_of(body)]


def _walked(preset: str, window: int) -> list[Seen]:
    warm = engine()
    return [proxied(warm, sent, window, preset) for sent in _session()]


@pytest.mark.parametrize("window", [32_000, 128_000])
@pytest.mark.parametrize("preset", ["default", "coding", "chat"])
def test_two_hundred_turns_stay_within_the_window(preset: str, window: int):
    seen = _walked(preset, window)
    assert len(seen) == TURNS + 1
    assert all(one.edited for one in seen)  # no request is refused
    assert max(one.report.received for one in seen) > 1.5 * window
    for one in seen:
        granted = json.loads(one.got)["max_tokens"]
        assert one.report.forwarded + granted <= window
    sent, got = json.loads(seen[-1].sent), json.loads(seen[-1].got)
    assert violations(got) == ()
    assert changed_by_the_way(got, sent) == ()


@pytest.mark.parametrize("window", [32_000, 128_000])
def test_observing_two_hundred_turns_changes_no_byte(window: int):
    assert all(one.got == one.sent for one in _walked("observe", window))


@pytest.mark.parametrize("preset", ["default", "coding", "chat"])
def test_another_worker_goes_on_with_the_same_bytes_at_any_turn(preset: str):
    seen = _walked(preset, 32_000)
    for one in seen[::20]:
        assert proxied(engine(), one.sent, 32_000, preset).got == one.got
