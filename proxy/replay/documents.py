"""A file's JSON: one document, or JSON Lines with one document a line. Which of the two, the content says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proxy.replay.recorded import Place, RecordingError


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value and where it stood; `place.line` is None where it is the whole file."""

    value: Any
    place: Place


def documents(path: Path) -> list[Document]:
    """The documents of a file, at least one. Raises RecordingError for what is no JSON."""
    text = _text(path)
    try:
        return [Document(json.loads(text), Place(path))]
    except json.JSONDecodeError as error:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        if len(lines) > 1 and _is_json(lines[0][1]):
            return [_line(Place(path, number), line) for number, line in lines]
        raise Place(path, error.lineno).fault(f"expected JSON, {_reason(error)}") from error
    except RecursionError as error:
        raise Place(path).fault("expected JSON, found brackets nested too deep to read") from error


def _text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Place(path).fault(f"expected UTF-8 text, found the byte 0x{error.object[error.start]:02x}") from error
    except OSError as error:
        raise RecordingError(f"{path}: expected a readable file, {error.strerror or error}") from error
    if not text.strip():
        raise Place(path).fault("expected recorded sessions, found an empty file")
    return text


def _line(place: Place, line: str) -> Document:
    try:
        return Document(json.loads(line), place)
    except json.JSONDecodeError as error:
        raise place.fault(f"expected one JSON value on this line, {_reason(error)}") from error
    except RecursionError as error:
        raise place.fault("expected JSON, found brackets nested too deep to read") from error


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _reason(error: json.JSONDecodeError) -> str:
    return f"found: {error.msg} (column {error.colno})"
