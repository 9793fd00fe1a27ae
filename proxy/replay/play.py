"""A session replayed: its requests in order, through the code that the proxy runs, under each price regime.

Nothing is sent. In place of the provider stand the answers that were recorded, and a simulated prompt cache
(`prompt.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from proxy.errors import RequestError
from proxy.replay.ledger import Ledger, RememberingCounter, definition_items
from proxy.replay.recall import Before
from proxy.replay.recorded import Recorded, RecordingError
from proxy.replay.requests import requests
from proxy.replay.rows import Replayed
from proxy.replay.said import NOTHING, said
from proxy.replay.setup import Setup
from proxy.replay.track import Step, Track
from proxy.wire.envelope import slice_body
from proxy.wire.facts import message_facts


def replay(recorded: Recorded, setup: Setup) -> Replayed:
    """Play a session under every regime. Raises RecordingError where the proxy would refuse a request as malformed."""
    counter = RememberingCounter(setup.route.encoding)
    ledger = Ledger(counter)
    tracks = [Track(setup, prices, counter, ledger) for prices in setup.regimes]
    has_way_back = setup.policies[setup.policy_name].retrieval.enabled
    reading = Track(setup, setup.prices, counter, ledger, reads_back=True) if has_way_back else None
    try:
        for step in _steps(recorded, setup.route.model, ledger, counter):
            for track in (*tracks, *([reading] if reading else [])):
                track.take(step)
    except RequestError as error:
        raise RecordingError(f"{recorded.name}, request {tracks[0].taken + 1}: {error}") from error
    played = tuple(track.played() for track in tracks)
    return Replayed(recorded.name, recorded.format, recorded.mends, played, reading.played() if reading else None)


def _steps(recorded: Recorded, model: str, ledger: Ledger, counter: RememberingCounter) -> Iterator[Step]:
    """Each request with what is known of its answer. A later request's history holds that of an earlier one."""
    before: Before | None = None
    known = 0
    for body in requests(recorded, model):
        envelope = slice_body(_encoded(body))
        prompt = ledger.prompt(envelope)
        before = before or Before(definition_items(envelope))
        for digest in prompt.digests[known:]:
            before.take(ledger.said(digest))
        known = len(prompt.digests)
        answer = recorded.messages[known] if known < len(recorded.messages) else None
        output = _answer_tokens(answer, counter) if answer else 0  # first, for it checks the answer
        used = said(answer, "assistant").used if answer else NOTHING
        yield Step(envelope, prompt, output, before.evidence(used), before.reuse(used))


def _answer_tokens(answer: Mapping[str, Any], counter: RememberingCounter) -> int:
    facts = message_facts(answer, "answer", counter.count)
    return facts.tokens + facts.extra_tokens


def _encoded(body: Mapping[str, Any]) -> bytes:
    """The body as most clients write it; half an emoji has no UTF-8 and goes out escaped."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return json.dumps(body, separators=(",", ":")).encode()
