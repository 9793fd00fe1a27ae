"""One message checked: a legal role, content of a legal type, calls that can be told apart.

Missing or null content becomes what a provider accepts. What else a message holds passes as it is: an agent
resends such fields too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proxy.replay.recorded import Message, Place, kind

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_INSTEAD_OF_CONTENT = ("tool_calls", "function_call", "refusal", "audio")


def checked(value: object, place: Place) -> Message:
    """The message as an agent would send it. Raises RecordingError where it is none."""
    if not isinstance(value, dict):
        raise place.fault(f"expected a message, found {kind(value)}")
    role = value.get("role")
    if role not in ROLES:
        raise place.fault(f"expected a role of {', '.join(ROLES)}, found {json.dumps(role)[:60]}")
    message = {**value, "content": _content(value, place)}
    if role == "tool" and not isinstance(value.get("tool_call_id"), str):
        raise place.fault(f"expected a tool_call_id in a tool message, found {kind(value.get('tool_call_id'))}")
    if role == "assistant" and value.get("tool_calls"):
        message["tool_calls"] = _calls(value["tool_calls"], place)
    elif value.get("tool_calls") == []:
        del message["tool_calls"]  # providers refuse an empty list
    return message


def call(id_: str, name: str, arguments: object) -> dict[str, Any]:
    """A tool call in OpenAI's shape, its arguments written as most clients write them."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": text}}


def _content(value: Mapping[str, Any], place: Place) -> str | list[Any] | None:
    content = value.get("content")
    match content:
        case str():
            return content
        case None | []:
            is_call = value["role"] == "assistant" and any(value.get(key) for key in _INSTEAD_OF_CONTENT)
            return None if is_call else ""
        case list() if all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content):
            return content
        case list():
            raise place.fault("expected content parts that are objects with a type")
        case _:
            raise place.fault(f"expected content that is a string, a list of parts or null, found {kind(content)}")


def _calls(calls: object, place: Place) -> list[dict[str, Any]]:
    if not isinstance(calls, list):
        raise place.fault(f"expected a list of tool_calls, found {kind(calls)}")
    made = [_call(one, place.at(f"call {number}")) for number, one in enumerate(calls, start=1)]
    ids = [one["id"] for one in made]
    if twice := next((id_ for id_ in ids if ids.count(id_) > 1), None):
        raise place.fault(f"expected calls with ids of their own, found {twice!r} twice")
    return made


def _call(value: object, place: Place) -> dict[str, Any]:
    function = value.get("function") if isinstance(value, dict) else None
    match value, function:
        case {"id": str(id_)}, {"name": str(name)} if isinstance(value, dict) and isinstance(function, dict):
            arguments = function.get("arguments")
            if isinstance(arguments, str):
                return value
            return {**value, **call(id_, name, {} if arguments is None else arguments)}
        case _:
            raise place.fault("expected a tool call with an id and a function with a name")


def calls_of(message: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    """The tool calls of a checked message, none where it makes none."""
    return message.get("tool_calls") or ()
