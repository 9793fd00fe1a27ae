"""Putting recorded exchanges back where they were: a request as the model saw the turns before it.

The client's own bytes stay, but for the part of a text that was said in an earlier round: it stands in that round's
message again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from proxy.retrieval.exchange import Exchange
from proxy.wire.envelope import Envelope
from proxy.wire.spans import Span, array_spans, object_spans
from proxy.wire.splice import Patch, json_string, patched


def restored(envelope: Envelope, found: Mapping[int, Exchange]) -> bytes:
    """The body with each exchange at the message that it belongs to; the same object where there are none."""
    if not found:
        return envelope.body
    body = envelope.body
    spans = array_spans(body, envelope.spans["messages"], list(envelope.messages))
    patches: list[Patch] = []
    for index, exchange in found.items():
        start, end = spans[index]
        message = _message(body[start:end], exchange)
        pieces = [*map(bytes, exchange.before), message, *map(bytes, exchange.results)]
        patches.append((start, end, b",".join(pieces)))
    return patched(body, patches)


def _message(message: bytes, exchange: Exchange) -> bytes:
    fields = object_spans(message)
    patches = _call_patches(message, fields, exchange) if exchange.calls else []
    for name, said in exchange.earlier.items():
        if name in fields:
            patches += _cut(message, fields[name], said)
    return patched(message, patches)


def _cut(message: bytes, span: Span, said: Any) -> list[Patch]:
    """What takes `said` from the front of a field; nothing where the field does not begin with it."""
    value = msgspec.json.decode(message[span[0] : span[1]])
    match value, said:
        case str(), str() if value.startswith(said):
            return [(*span, json_string(value[len(said) :]))]
        case [{"type": "text", "text": str(text)}, *_], str() if text.startswith(said):
            first = array_spans(message, span)[0]
            return [(*object_spans(message, first)["text"], json_string(text[len(said) :]))]
        case list(), list() if said and _bare(value[: len(said)]) == _bare(said):
            parts = array_spans(message, span)
            rest = parts[len(said)][0] if len(value) > len(said) else span[1] - 1
            return [(parts[0][0], rest, b"")]
        case _:
            return []


def _bare(items: list[Any]) -> list[Any]:
    """Items of a list without what only a stream needs: clients keep it or not."""
    return [
        {name: value for name, value in item.items() if name != "index" and value is not None}
        if isinstance(item, dict)
        else item
        for item in items
    ]


def _call_patches(message: bytes, fields: Mapping[str, Span], exchange: Exchange) -> list[Patch]:
    """Our calls at their places among the client's."""
    if "tool_calls" not in fields:
        return []
    span = fields["tool_calls"]
    calls = [message[start:end] for start, end in array_spans(message, span)]
    for place, call in exchange.calls:
        calls.insert(place, bytes(call))
    return [(*span, b"[" + b",".join(calls) + b"]")]
