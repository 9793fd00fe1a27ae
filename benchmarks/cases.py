"""The requests of each case, made before anything is measured."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

TOKENS_PER_LINE = 13
"""About what a line of the made-up source costs under o200k_base."""


@dataclass(frozen=True, slots=True)
class Case:
    """A name, and the bodies that are sent in order; the first `warm_up` are not measured."""

    name: str
    bodies: Callable[[], Iterator[bytes]]
    requests: int
    warm_up: int


def cases() -> list[Case]:
    """What agents do most."""
    return [
        Case("short chat", lambda: _short(1_500), 1_000, 300),
        Case("10k history, one new turn", lambda: _growing(10_000, 400), 300, 60),
        Case("100k history, one new turn", lambda: _growing(100_000, 160), 120, 20),
        Case("1M history, one new turn", lambda: _growing(1_000_000, 30), 20, 5),
        Case("200-chunk stream", lambda: _short(360, stream=True), 300, 40),
    ]


def _short(count: int, stream: bool = False) -> Iterator[bytes]:
    for number in range(count):
        messages = [{"role": "user", "content": f"Is {number} even?"}]
        yield _body(messages, stream)


def _growing(tokens: int, count: int) -> Iterator[bytes]:
    """A session whose history has so many tokens, with one more turn on every request."""
    rng = random.Random(tokens)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Find the bug."}]
    have = 0
    while have < tokens:
        have += _turn(messages, rng, 100)
    for _ in range(count):
        _turn(messages, rng, 20)
        yield _body(messages)


def _turn(messages: list[dict[str, Any]], rng: random.Random, lines: int) -> int:
    """One call and its result; about how many tokens it weighs."""
    call = f"call_{len(messages)}"
    function = {"name": "read_file", "arguments": json.dumps({"path": f"src/part{len(messages)}.py"})}
    text = "\n".join(
        f"    total_{rng.randint(0, 999)} = price[{rng.randint(0, 99)}] * rate  # line {n}" for n in range(lines)
    )
    messages.append(
        {"role": "assistant", "content": None, "tool_calls": [{"id": call, "type": "function", "function": function}]}
    )
    messages.append({"role": "tool", "tool_call_id": call, "content": text})
    return lines * TOKENS_PER_LINE


def _body(messages: list[dict[str, Any]], stream: bool = False) -> bytes:
    body = {"model": "m", "messages": messages, **({"stream": True} if stream else {})}
    return json.dumps(body, separators=(",", ":")).encode()
