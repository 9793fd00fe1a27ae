"""Requests of real clients, and the odd inputs of faults.md, go through the wire unchanged."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from proxy.tokens import Counter
from proxy.wire.envelope import slice_body
from proxy.wire.reader import Reader
from proxy.wire.render import render
from tests.wire.wire_builders import write

SHARED = Path(__file__).parents[3] / "shared"
CAPTURES = sorted((SHARED / "captures").glob("*/*.json"))
INPUTS = sorted((SHARED / "inputs").glob("*.json"))
needs_shared = pytest.mark.skipif(not (CAPTURES and INPUTS), reason=f"no captures or inputs below {SHARED}")


def bodies() -> list[tuple[str, bytes]]:
    """The chat completions among the captures as a client would write them, and the inputs as they are."""
    found = [(path.stem, path.read_bytes()) for path in INPUTS]
    for path in CAPTURES:
        capture = json.loads(path.read_bytes())
        if capture["path"] == "/v1/chat/completions":
            found.append((f"{path.parent.name}/{path.stem}", json.dumps(capture["body"]).encode()))
    return found


@needs_shared
def test_there_are_chat_completions_of_many_clients() -> None:
    assert len({name.split("/")[0] for name, _ in bodies() if "/" in name}) >= 10


@needs_shared
@pytest.mark.parametrize(("name", "body"), bodies(), ids=[name for name, _ in bodies()])
def test_goes_through_unchanged_and_is_counted(name: str, body: bytes) -> None:
    envelope = slice_body(body)
    read = Reader(Counter("o200k_base").count).read(envelope)
    sent = render(envelope, model=envelope.model)
    assert envelope.mended == (1 if name.startswith("13-") else 0)
    assert sent == (body.replace(b"\\ud83d box", b"\\ufffd box") if envelope.mended else body)
    assert render(envelope, model="other").replace(b'"other"', json.dumps(envelope.model).encode(), 1) == sent
    assert all(message.tokens >= 4 for message in read.messages)


@needs_shared
@pytest.mark.parametrize(("name", "body"), bodies(), ids=[name for name, _ in bodies()])
def test_another_serialisation_means_the_same(name: str, body: bytes) -> None:
    reader = Reader(len)
    plain = slice_body(body)
    other = slice_body(write(json.loads(plain.body), random.Random(name)))
    assert reader.read(other).messages == reader.read(plain).messages
    assert reader.fixed_tokens(other) == reader.fixed_tokens(plain)


@needs_shared
def test_six_hundred_tools_weigh_more_than_a_small_window() -> None:
    body = next(body for name, body in bodies() if name.startswith("06-"))
    assert Reader(Counter("o200k_base").count).fixed_tokens(slice_body(body)) > 4096
