"""Tool definitions made from the calls of a session, for recordings that hold none.

They are part of every request's prefix and of its bill, so a replay without any would be too cheap. Made from the
whole session at once, they are the same in each of its requests. They hold what can be known: names and the keys
of the arguments, in order of appearance.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from proxy.replay.messages import calls_of
from proxy.replay.recorded import Message


def definitions(messages: Sequence[Message]) -> list[dict[str, Any]] | None:
    """Minimal definitions of the tools that these messages call, None where they call none."""
    keys: dict[str, dict[str, None]] = {}
    for message in messages:
        for call in calls_of(message):
            function = call["function"]
            keys.setdefault(function["name"], {}).update(dict.fromkeys(_keys(function["arguments"])))
    return [_definition(name, list(names)) for name, names in keys.items()] or None


def _keys(arguments: str) -> list[str]:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):  # arguments that were cut off are still a call
        return []
    return list(value) if isinstance(value, dict) else []


def _definition(name: str, keys: Sequence[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {key: {} for key in keys}}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}
