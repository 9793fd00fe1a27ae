"""A file as the body of a chat completion: a request, a recorded session, or the text of a system prompt.

The content tells what a file is. What is no JSON is text, unless its name says that it should be JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from proxy.replay import RecordingError, UnknownFormat, load
from proxy.replay.documents import Document, documents
from proxy.replay.recorded import Place

FIXED = ("tools", "functions", "response_format")
_JSON_NAMES = frozenset({".json", ".jsonl", ".ndjson", ".traj"})


@dataclass(frozen=True, slots=True)
class Asked:
    """The fixed part of a file's first request, as a body. `notes` say what a reader of the audit should know."""

    name: str
    body: Mapping[str, Any]
    notes: tuple[str, ...] = ()


def read(path: Path) -> Asked:
    """What a file asks in each of its requests. RecordingError, in one line, for what cannot be read."""
    try:
        found = documents(path)
    except RecordingError:
        if path.suffix.lower() in _JSON_NAMES or not path.is_file():
            raise
        return _text(path)
    bodies = _bodies(found)
    if bodies:
        return _first(path, [_fixed(body) for body in bodies])
    try:
        sessions = load(path)
    except UnknownFormat:
        if path.suffix.lower() in _JSON_NAMES:
            raise
        return _text(path)
    if not sessions:
        raise Place(path).fault("expected a session with messages, found none")
    asked = _first(path, [_fixed({"messages": session.messages}) for session in sessions])
    return Asked(asked.name, asked.body, ("the recording holds no tool definitions: texts only", *asked.notes))


def _text(path: Path) -> Asked:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Place(path).fault(f"expected UTF-8 text, found the byte 0x{error.object[error.start]:02x}") from error
    if not text.strip():
        raise Place(path).fault("expected a prompt, found an empty file")
    return Asked(path.name, {"messages": [{"role": "system", "content": text}]})


def _bodies(found: Sequence[Document]) -> Sequence[Mapping[str, Any]]:
    """The request bodies of a file; none where it is something else."""
    first = found[0].value
    values = first if len(found) == 1 and isinstance(first, list) else [document.value for document in found]
    bodies = [value for value in values if isinstance(value, dict) and _is_body(value)]
    if not bodies:
        return []
    place = found[0].place
    if len(bodies) < len(values):
        others = len(values) - len(bodies)
        raise place.fault(f"expected request bodies alone, found {others} other values among them")
    if any("system" in body for body in bodies):
        raise place.fault("found system beside messages, which is no OpenAI body; put it into a system message")
    return bodies


def _is_body(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("messages"), list) or any(isinstance(value.get(key), list) for key in FIXED[:2])


def _fixed(body: Mapping[str, Any]) -> dict[str, Any]:
    """System and developer messages before the first answer, and the definitions."""
    before = takewhile(lambda message: not _is_answer(message), body.get("messages") or ())
    texts = [message for message in before if not _is_asking(message)]
    return {"messages": texts, **{key: body[key] for key in FIXED if body.get(key)}}


def _is_answer(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "assistant"


def _is_asking(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") not in ("system", "developer", None)


def _first(path: Path, fixed: Sequence[dict[str, Any]]) -> Asked:
    """The first of several; how many others have another fixed part is told."""
    if len(fixed) == 1:
        return Asked(path.name, fixed[0])
    others = sum(one != fixed[0] for one in fixed[1:])
    same = "all have the same fixed part" if not others else f"{others} with another fixed part"
    return Asked(path.name, fixed[0], (f"the first of {len(fixed)} requests; {same}",))
