"""The bodies that the agent sent: before each answer of the model, the history as it stood then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proxy.replay.recorded import Recorded


def requests(recorded: Recorded, model: str) -> Iterator[dict[str, Any]]:
    """One body for each assistant message that the model was asked for, in order; each has its own message list.

    An assistant message that stands before the first user message (a greeting) or in the given part (a
    demonstration) was written by no model. A captured request is itself the last body.
    """
    asked = False
    for index, message in enumerate(recorded.messages):
        if message["role"] == "assistant" and asked and index >= recorded.given:
            yield _body(recorded, model, index)
        asked = asked or message["role"] == "user"
    if recorded.unanswered and asked:
        yield _body(recorded, model, len(recorded.messages))


def _body(recorded: Recorded, model: str, end: int) -> dict[str, Any]:
    body: dict[str, Any] = {"model": model, "messages": recorded.messages[:end]}
    if recorded.tools:
        body["tools"] = recorded.tools
    return body
