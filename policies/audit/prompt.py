"""The fixed part of a prompt as data: whoever reads a file makes one, the audit looks at nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_NOT_SCHEMAS = frozenset({"const", "default", "enum", "example", "examples"})
_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions"})


@dataclass(frozen=True, slots=True)
class Text:
    """A system or developer text, or one part of it; `name` tells it from the others."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Description:
    """A description in a schema. `path` leads to the property that it describes; empty for the whole."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Schema:
    """A tool's definition, or a response schema. `json` is the line of JSON that is counted."""

    group: str
    name: str
    json: str
    descriptions: tuple[Description, ...]
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """A part that is no text: an image in a system message."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """`tokens` is the whole as the proxy counts it, with what the chat format puts around the parts."""

    texts: tuple[Text, ...]
    schemas: tuple[Schema, ...]
    others: tuple[Other, ...]
    tokens: int


def schema(group: str, name: str, definition: Any, json: str) -> Schema:
    """The schema of a decoded definition; names and descriptions of its properties in order."""
    found = tuple(_walk(definition, ""))
    descriptions = tuple(Description(path, text) for path, text in found if text is not None)
    properties = tuple(path for path, text in found if text is None)
    return Schema(group, name, json, descriptions, properties)


def _walk(value: Any, path: str) -> Iterator[tuple[str, str | None]]:
    """(path, None) for each property, (path, text) for each description."""
    match value:
        case dict():
            if isinstance(text := value.get("description"), str) and text.strip():
                yield path, text
            for key, inner in value.items():
                yield from _inside(key, inner, path)
        case list():
            for item in value:
                yield from _walk(item, path)
        case _:
            return


def _inside(key: str, value: Any, path: str) -> Iterator[tuple[str, str | None]]:
    if key in _NOT_SCHEMAS:
        return
    if key in _BY_NAME and isinstance(value, dict):
        for name, inner in value.items():
            yield _joined(path, name), None
            yield from _walk(inner, _joined(path, name))
    else:
        yield from _walk(value, f"{path}[]" if key == "items" else path)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
