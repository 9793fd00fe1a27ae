"""OpenAI chat messages: a list of messages, or request bodies that hold one.

[message, ...]                       one session
[[message, ...], ...]                several, in one list
{"messages": [...], "tools": [...]}  a request body: a session that ends with a request
[body, ...]                          several
JSON Lines                           of messages: one session; of lists or bodies: one session a line
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from proxy.replay.definitions import definitions
from proxy.replay.documents import Document
from proxy.replay.messages import checked
from proxy.replay.recorded import Message, Place, Recorded, kind
from proxy.replay.sound import sound

CHAT = "openai-chat"
REQUEST = "openai-request"


def recognises(value: Any) -> bool:
    """Whether a document is a message, a list of messages, a request body, or a list of such."""
    match value:
        case {"messages": list()} | {"role": str()} | [{"role": str()}, *_] | [{"messages": list()}, *_]:
            return True
        case [[{"role": str()}, *_], *_]:
            return True
        case _:
            return False


def sessions(documents: Sequence[Document], name: str) -> Iterator[Recorded]:
    """The sessions of the documents; numbered from 1 in their names where there are several."""
    items = list(_items(documents))
    for number, (value, place) in enumerate(items, start=1):
        yield _session(value, place, name if len(items) == 1 else f"{name}#{number}")


def _items(documents: Sequence[Document]) -> Iterator[tuple[Any, Place]]:
    """What stands for a session each: a body, or a list of messages with their places."""
    first = documents[0].value
    if isinstance(first, dict) and "role" in first:
        yield [(document.value, document.place) for document in documents], documents[0].place
        return
    for document in documents:
        match document.value:
            case [{"messages": list()} | list(), *_]:
                for number, value in enumerate(document.value, start=1):
                    yield _item(value, document.place.at(f"session {number}"))
            case _:
                yield _item(document.value, document.place)


def _item(value: Any, place: Place) -> tuple[Any, Place]:
    match value:
        case {"messages": list()}:
            return value, place
        case list():
            return _placed(value, place), place
        case _:
            raise place.fault(f"expected a list of messages or a request body with messages, found {kind(value)}")


def _placed(messages: Sequence[Any], place: Place) -> list[tuple[Any, Place]]:
    return [(message, place.at(f"message {number}")) for number, message in enumerate(messages, start=1)]


def _session(value: Any, place: Place, name: str) -> Recorded:
    if isinstance(value, list):
        return recorded(value, name, CHAT)
    tools = value.get("tools")
    if tools is not None and not isinstance(tools, list):
        raise place.fault(f"expected tools that are a list, found {kind(tools)}")
    session = recorded(_placed(value["messages"], place), name, REQUEST, tools)
    answered = bool(session.messages) and session.messages[-1]["role"] == "assistant"
    return replace(session, unanswered=not answered)


def recorded(
    placed: Sequence[tuple[Any, Place]], name: str, format_: str, tools: list[dict[str, Any]] | None = None
) -> Recorded:
    """A session of OpenAI messages, each with its place; definitions are made where `tools` holds none."""
    messages: list[Message] = [checked(value, place) for value, place in placed]
    settled, mends = sound(messages)
    return Recorded(name, settled, tools or definitions(settled), format_, mends=mends)
