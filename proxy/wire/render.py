"""The body that goes upstream: what came in, with the edits spliced into it.

Untouched messages keep their bytes, an edited one keeps all but the edited string, and the list keeps its separators.
No edit, no clamp and the same model: the very same bytes object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policies.edits import Drop, Edit, Note
from proxy.wire.envelope import OUTPUT_LIMITS, Envelope
from proxy.wire.spans import Span, array_spans
from proxy.wire.splice import Inner, Patch, Spliced, json_string, patched


def render(
    envelope: Envelope,
    *,
    model: str,
    edits: Sequence[Edit] = (),
    max_output: int | None = None,
    spliced: Spliced | None = None,
    extra: Sequence[Patch] = (),
) -> bytes:
    """The envelope's body for `model`, edited; `max_output` lowers the client's own maximum where it sent one.

    `spliced` remembers edited messages from one request to the next. `extra` are patches outside messages, model and
    output limits.

    Edits refer to messages as they came. What is dropped is not edited; of two texts for one part the later counts.
    """
    patches = [*_field_patches(envelope, model, max_output), *extra]
    if edits:
        patches.append((*envelope.spans["messages"], _messages(envelope, edits, spliced or Spliced())))
    return patched(envelope.body, patches) if patches else envelope.body


def _field_patches(envelope: Envelope, model: str, max_output: int | None) -> list[Patch]:
    patches: list[Patch] = []
    if model != envelope.model:
        patches.append((*envelope.spans["model"], json_string(model)))
    if max_output is not None:
        for key in OUTPUT_LIMITS:
            value = envelope.value(key)
            if value is not None and value > max_output:
                patches.append((*envelope.spans[key], str(max_output).encode()))
    return patches


def _messages(envelope: Envelope, edits: Sequence[Edit], spliced: Spliced) -> bytes:
    """The edited list: survivors, each behind the separator that stood before it, and messages of our own."""
    whole = envelope.spans["messages"]
    spans = array_spans(envelope.body, whole, list(envelope.messages))
    pieces = [envelope.body[whole[0] : spans[0][0]]]
    is_first = True
    for separator, piece in _pieces(envelope, spans, edits, spliced):
        pieces += (piece,) if is_first else (separator, piece)
        is_first = False
    pieces.append(envelope.body[spans[-1][1] : whole[1]])
    return b"".join(pieces)


def _pieces(
    envelope: Envelope, spans: list[Span], edits: Sequence[Edit], spliced: Spliced
) -> Iterator[tuple[bytes, bytes]]:
    """What stands in the edited list, each with its separator; untouched neighbours come as one piece."""
    body = envelope.body
    inner, inserted, dropped = _sorted_out(edits)
    position = 0
    for index in sorted({*inner, *inserted, *dropped, len(spans)}):
        if position < index:
            yield _separator(body, spans, position), body[spans[position][0] : spans[index - 1][1]]
        for note in inserted.get(index, ()):
            message = b'{"role":"user","content":' + json_string(note.text) + b"}"
            yield _separator(body, spans, min(index, len(spans) - 1)), message
        if index in inner and index not in dropped:
            yield (
                _separator(body, spans, index),
                spliced.splice(envelope.digests[index], body[slice(*spans[index])], inner[index]),
            )
        elif index < len(spans) and index not in dropped:
            yield _separator(body, spans, index), body[slice(*spans[index])]
        position = index + 1


def _separator(body: bytes, spans: list[Span], index: int) -> bytes:
    return body[spans[index - 1][1] : spans[index][0]] if index else b","


def _sorted_out(edits: Sequence[Edit]) -> tuple[dict[int, list[Inner]], dict[int, list[Note]], set[int]]:
    """Edits inside messages by message, inserted notes by the message they stand before, and what leaves."""
    inner: dict[int, list[Inner]] = {}
    inserted: dict[int, list[Note]] = {}
    dropped: set[int] = set()
    for edit in edits:
        match edit:
            case Drop():
                dropped.update(range(edit.start, edit.end))
            case Note(insert=True):
                inserted.setdefault(edit.index, []).append(edit)
            case _:
                inner.setdefault(edit.index, []).append(edit)
    return inner, inserted, dropped
