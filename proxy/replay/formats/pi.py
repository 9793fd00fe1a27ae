"""pi session logs: JSON Lines, a header of type `session`, then entries; those that matter hold messages.

From version 2 on, entries form a tree by `id` and `parentId`, for a user may go back and try another way: the
session is the way from the last entry to the root, as pi itself reads it. What pi's own context would leave out
stays: compactions are passed over, so the history is what it would have been under a proxy that keeps it small.
Answers that were broken off, and what the user hid from the model, were never resent and are left out. The system
text and the tool definitions are not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proxy.replay.documents import Document
from proxy.replay.formats.chat import recorded
from proxy.replay.formats.pi_messages import converted, told
from proxy.replay.recorded import Message, Place, Recorded, kind

PI = "pi"

Entry = tuple[Mapping[str, Any], Place]


def recognises(value: Any) -> bool:
    """Whether the first document of a file is a session's header."""
    match value:
        case {"type": "session", "id": str()}:
            return True
        case _:
            return False


def sessions(documents: Sequence[Document], name: str) -> Iterator[Recorded]:
    """The one session of a log."""
    entries = [_entry(document) for document in documents[1:]]
    placed: list[tuple[Message, Place]] = []
    for entry, place in _way(entries):
        placed += [(message, place) for message in _messages(entry, place)]
    yield recorded(placed, name, PI)


def _entry(document: Document) -> Entry:
    value = document.value
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise document.place.fault(f"expected an entry with a type, found {kind(value)}")
    return value, document.place


def _way(entries: Sequence[Entry]) -> list[Entry]:
    """From the root to the last entry; all entries where they form no tree (version 1)."""
    if not entries or "id" not in entries[-1][0]:
        return list(entries)
    earlier = {entry["id"]: position for position, (entry, _) in enumerate(entries) if isinstance(entry.get("id"), str)}
    way: list[Entry] = []
    position: int | None = len(entries) - 1
    while position is not None:
        entry, place = entries[position]
        way.append((entry, place))
        position = _parent(entry, place, position, earlier)
    return way[::-1]


def _parent(entry: Mapping[str, Any], place: Place, position: int, earlier: Mapping[str, int]) -> int | None:
    parent = entry.get("parentId")
    if parent is None:
        return None
    found = earlier.get(parent) if isinstance(parent, str) else None
    if found is None or found >= position:
        raise place.fault(f"expected a parentId that names an earlier entry, found {parent!r}")
    return found


def _messages(entry: Mapping[str, Any], place: Place) -> Iterator[Message]:
    """What an entry adds to the context; settings, labels and compactions add nothing."""
    match entry:
        case {"type": "message", "message": message}:
            yield from converted(message, place)
        case {"type": "message"}:
            raise place.fault("expected a message in an entry of type message")
        case {"type": "custom_message", "content": content}:
            yield told(content, place)
        case {"type": "branch_summary", "summary": str(summary)} if summary:
            yield {"role": "user", "content": f"Summary of another branch of this session:\n{summary}"}
