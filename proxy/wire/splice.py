"""Edits inside one message: only the bytes of the edited string change.

Strings that are written are UTF-8 with the fewest escapes, as most clients write them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from policies.edits import Note, Replace, ReplaceArguments
from proxy.wire.cache import Generations
from proxy.wire.spans import Span, array_spans, object_spans

Patch = tuple[int, int, bytes]
Inner = Replace | ReplaceArguments | Note

_ENTRY_BYTES = 500  # a key with its edits, whose texts the folds hold too


def json_string(text: str) -> bytes:
    """`text` as a JSON string. A lone surrogate, which has no UTF-8, becomes U+FFFD."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return msgspec.json.encode(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def patched(text: bytes, patches: Iterable[Patch], span: Span | None = None) -> bytes:
    """`text` (or its `span`) with each patch's bytes in place of what stood in its range; ranges may not overlap."""
    position, end = span or (0, len(text))
    pieces: list[bytes] = []
    for start, stop, replacement in sorted(patches, key=lambda patch: patch[0]):
        pieces += (text[position:start], replacement)
        position = stop
    pieces.append(text[position:end])
    return b"".join(pieces)


class Spliced:
    """Edited messages by the digest of their bytes and the edits: an edit stands until a batch, and is spliced once."""

    def __init__(self, capacity_bytes: int = 64_000_000) -> None:
        self._known: Generations[tuple[bytes, tuple[Inner, ...]], bytes] = Generations(capacity_bytes)

    def splice(self, digest: bytes, message: bytes, edits: Sequence[Inner]) -> bytes:
        """`splice(message, edits)`, remembered."""
        key = (digest, tuple(edits))
        spliced = self._known.get(key)
        if spliced is None:
            spliced = splice(message, edits)
            self._known.put(key, spliced, len(spliced) + _ENTRY_BYTES)
        return spliced


def splice(message: bytes, edits: Sequence[Inner]) -> bytes:
    """One message with edits of its texts, of its arguments, and notes at its end."""
    fields = object_spans(message)
    texts = {edit.part: edit.text for edit in edits if isinstance(edit, Replace)}
    notes = [edit.text for edit in edits if isinstance(edit, Note)]
    arguments = {edit.call: edit.text for edit in edits if isinstance(edit, ReplaceArguments)}
    patches = _argument_patches(message, fields, arguments) if arguments else []
    if texts or notes:
        patches += _content_patches(message, fields, texts, notes)
    return patched(message, patches)


def _content_patches(message: bytes, fields: dict[str, Span], texts: dict[int, str], notes: list[str]) -> list[Patch]:
    span = fields.get("content")
    if span is None:
        brace = message.rindex(b"}")
        return [(brace, brace, b',"content":' + json_string("\n\n".join(notes)))]
    start, end = span
    match message[start : start + 1]:
        case b"[":
            return _part_patches(message, span, texts, notes)
        case b'"':
            written = json_string(texts[0]) if 0 in texts else message[start:end]
            return [(start, end, _with_notes(written, notes))]
        case _:
            return [(start, end, json_string("\n\n".join(notes)))]


def _with_notes(written: bytes, notes: list[str]) -> bytes:
    """A JSON string, the notes appended inside its closing quote, each after a blank line."""
    for note in notes:
        before = b"" if written == b'""' else b"\\n\\n"
        written = written[:-1] + before + json_string(note)[1:]
    return written


def _part_patches(message: bytes, span: Span, texts: dict[int, str], notes: list[str]) -> list[Patch]:
    parts = array_spans(message, span)
    patches: list[Patch] = [
        (*object_spans(message, parts[part])["text"], json_string(text)) for part, text in texts.items()
    ]
    added = b",".join(b'{"type":"text","text":' + json_string(note) + b"}" for note in notes)
    if added:
        end = parts[-1][1] if parts else span[0] + 1
        patches.append((end, end, b"," + added if parts else added))
    return patches


def _argument_patches(message: bytes, fields: dict[str, Span], arguments: dict[int, str]) -> list[Patch]:
    tool_calls = fields.get("tool_calls")
    is_list = tool_calls is not None and message[tool_calls[0] : tool_calls[0] + 1] == b"["
    calls = array_spans(message, tool_calls) if tool_calls and is_list else []
    patches: list[Patch] = []
    for index, text in arguments.items():
        is_listed = index < len(calls)
        function = object_spans(message, calls[index])["function"] if is_listed else fields["function_call"]
        patches.append((*object_spans(message, function)["arguments"], json_string(text)))
    return patches
