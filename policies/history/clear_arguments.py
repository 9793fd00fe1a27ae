"""Clearing arguments: the long values in an old call's arguments give way to a stub.

Write and edit bodies are a third of the tokens of coding sessions. What stands in their place is JSON of the
same shape (same keys, same types), so that no provider and no client stumbles over it. Arguments that are not
a JSON object or list stay: they are opaque text, and half a call is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from policies import markers
from policies.edits import ReplaceArguments
from policies.history.clear_results import MAX_SHARE
from policies.history.stubs import argument_names
from policies.scene import Scene, Text
from policies.terms import Terms

LONG_CHARACTERS = 200
"""A string value longer than this is replaced; about twice the length of the marker itself."""


def clear_arguments(scene: Scene, index: int) -> Iterator[ReplaceArguments]:
    """The edits that would clear the arguments of assistant message `index`, one per long call."""
    terms = scene.terms
    for position, call in enumerate(scene.conversation.messages[index].calls):
        if call.tokens <= terms.policy.history.clear_arguments.over_tokens:
            continue
        arguments = scene.conversation.arguments(index, position)
        locator = terms.locate("arguments", arguments.encode())
        listed = argument_names(scene, Text(index, position, call.tokens, arguments))
        stub = _shortened(arguments, locator, listed, terms)
        if stub is None:
            continue
        after = terms.count(stub)
        if after <= MAX_SHARE * call.tokens:
            yield ReplaceArguments(index, position, stub, locator, call.tokens, after)


def _shortened(arguments: str, locator: str, listed: list[str], terms: Terms) -> str | None:
    """The arguments with every long string replaced, or None where that cannot be said in JSON.

    The first marker holds the locator and lists the names.
    """
    unsaid = [listed]

    def walk(value: Any) -> Any:
        match value:
            case str() if len(value) > LONG_CHARACTERS:
                tokens = terms.count(value)
                return markers.cleared_value(tokens, locator, unsaid.pop()) if unsaid else markers.cleared_too(tokens)
            case dict():
                return {key: walk(inner) for key, inner in value.items()}
            case list():
                return [walk(inner) for inner in value]
            case _:
                return value

    try:
        parsed = json.loads(arguments)
        if not isinstance(parsed, (dict, list)):
            return None
        return json.dumps(walk(parsed), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return None
