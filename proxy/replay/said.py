"""The evidence in one message, by the place where it stands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policies.conversation import Role
from proxy.locators import PATTERN
from proxy.replay.evidence import items
from proxy.replay.names import without_names
from proxy.wire.facts import call_list

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Said:
    """`text` holds the items of the content, `arguments` those of the calls' arguments, `calls` of the calls' names.

    `plain` are all of them, had stubs no lists of names; `locators` are those that stand anywhere in it.
    """

    role: Role
    text: frozenset[str] = NOTHING
    arguments: frozenset[str] = NOTHING
    calls: frozenset[str] = NOTHING
    plain: frozenset[str] = NOTHING
    locators: frozenset[str] = NOTHING

    @property
    def all(self) -> frozenset[str]:
        """Every item of the message."""
        return self.text | self.arguments | self.calls if self.arguments or self.calls else self.text

    @property
    def used(self) -> frozenset[str]:
        """What an assistant message relies on: its words and its arguments."""
        return self.text | self.arguments


def said(message: Mapping[str, Any], role: Role, strip: Callable[[str], str] = without_names) -> Said:
    """The items of a message; `strip` takes the names out of stubs."""
    text = content_text(message)
    calls = call_list(dict(message)) if role == "assistant" else []
    arguments = "\n".join(arguments_text(_function(call).get("arguments")) for call in calls)
    names = "\n".join(str(_function(call).get("name", "")) for call in calls)
    whole = Said(role, items(text), items(arguments), items(names))
    bare = strip(text), strip(arguments)
    plain = whole.all if bare == (text, arguments) else items(bare[0]) | items(bare[1]) | whole.calls
    locators = frozenset(PATTERN.findall(text)) | frozenset(PATTERN.findall(arguments))
    return Said(role, whole.text, whole.arguments, whole.calls, plain, locators)


def content_text(message: Mapping[str, Any]) -> str:
    """The texts of a message's content, one after the other."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def arguments_text(arguments: object) -> str:
    """What a call's arguments say: their values, unquoted; text that is no JSON as it stands."""
    if not isinstance(arguments, str):
        return ""
    try:
        return "\n".join(_leaves(json.loads(arguments)))
    except (ValueError, RecursionError):
        return arguments


def _leaves(value: object) -> Iterator[str]:
    match value:
        case dict():
            for inner in value.values():
                yield from _leaves(inner)
        case list():
            for inner in value:
                yield from _leaves(inner)
        case str() | int() | float():
            yield str(value)


def _function(call: Mapping[str, Any]) -> Mapping[str, Any]:
    function = call.get("function")
    return function if isinstance(function, dict) else {}
