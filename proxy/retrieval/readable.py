"""Originals as a model reads them: JSON unfolded, so that lines are lines and a pattern finds what it looks for.

A cleared argument or a dropped turn is kept as JSON, where a whole file is one line. The original itself, as HTTP gives
it out, stays what it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def readable(kind: str, text: str) -> str:
    """The text to read for an original of this kind (result, arguments, turns)."""
    match kind:
        case "arguments":
            return "\n".join(_unfolded(text))
        case "turns":
            return "\n".join(line for message in text.split("\n") for line in _turn(message))
        case _:
            return text


def _unfolded(arguments: str) -> Iterator[str]:
    """Each value under its path, a text of several lines as these lines; what is no JSON as it is."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        yield arguments
        return
    yield from _values("", value)


def _values(path: str, value: Any) -> Iterator[str]:
    match value:
        case dict() if value:
            for key, inner in value.items():
                yield from _values(f"{path}.{key}" if path else str(key), inner)
        case list() if value:
            for position, inner in enumerate(value):
                yield from _values(f"{path}[{position}]", inner)
        case str() if "\n" in value:
            yield f"{path}:" if path else ""
            yield value
        case _:
            yield f"{path}: {json.dumps(value, ensure_ascii=False)}"


def _turn(line: str) -> Iterator[str]:
    """One message of a dropped turn: who, what was said, what was called."""
    message = json.loads(line)
    role = message.get("role", "message")
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str) and text:
            yield f"{role}:"
            yield text
        elif isinstance(part, dict):
            yield f"{role}: {json.dumps(part, ensure_ascii=False)}"
    for call in message.get("tool_calls") or []:
        function = call.get("function") or call.get("custom") or {}
        yield f"{role} calls {function.get('name', '')}:"
        arguments = function.get("arguments", function.get("input"))
        yield from _unfolded(arguments if isinstance(arguments, str) else json.dumps(arguments))
