"""Pydantic's findings as lines for an operator: value, what it should be, default or what was meant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from proxy.settings.faults import Key, suggest

_WORDS = (
    ("should be a valid dictionary", "should be a mapping of keys to values"),
    ("should be a valid tuple", "should be a list"),
)


def explain(error: ValidationError, root: type[BaseModel]) -> Iterator[tuple[Key, str]]:
    """Each finding's key and message. A value is named only where its field may be shown."""
    for finding in error.errors(include_url=False):
        key = tuple(part for part in finding["loc"] if part != "[key]")  # the name itself, not what stands under it
        model, field = locate(root, key)
        match finding["type"]:
            case "extra_forbidden":
                yield key, f"unknown key{suggest(str(key[-1]), model.model_fields)}"
            case "missing":
                yield key, f"is required: {(field.description or '').rstrip('.') if field else 'add it'}"
            case "value_error":
                yield key, str(finding["ctx"]["error"])
            case _:
                yield key, _invalid(finding["msg"], finding["input"], field)


def locate(root: type[BaseModel], key: Key) -> tuple[type[BaseModel], FieldInfo | None]:
    """The model that a key belongs to, and its field there; None where the model knows no such field."""
    model = root
    field: FieldInfo | None = None
    for part in key:
        if isinstance(part, int):
            continue
        inner = model_in(field.annotation) if field else None
        if field is not None and inner is None:
            return model, field
        model = inner or model
        field = model.model_fields.get(part)
        if field is None:
            break
    return model, field


def model_in(annotation: Any) -> type[BaseModel] | None:
    """The section inside `Section`, `Section | None` or `tuple[Section, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in get_args(annotation) if (found := model_in(inner))), None)


def _invalid(message: str, value: object, field: FieldInfo | None) -> str:
    should = message.removeprefix("Input ")
    for theirs, ours in _WORDS:
        if theirs in should:
            should = ours
    if field is None or not field.repr or model_in(field.annotation) is not None:
        return should
    default = "" if field.is_required() else f"; the default is {_plain(field.default)}"
    named = f"{_shown(value)} " if isinstance(value, str | int | float) else ""
    return f"{named}{should}{default}"


def _shown(value: object) -> str:
    return _plain(value) if isinstance(value, bool) else repr(value)


def _plain(value: object) -> str:
    """A value as YAML would write it."""
    return json.dumps(value) if value is None or isinstance(value, bool | tuple) else str(value)
