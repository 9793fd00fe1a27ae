"""SWE-agent trajectories: one run, its messages in `history`.

Older runs write commands as text: all their messages are system, user and assistant ones. Newer ones call tools;
their results name the calls that they answer in a list (`tool_call_ids`). Beside OpenAI's fields a message carries
the agent's own notes (thought, action, agent, ...), which were never sent, and what an Anthropic model thought.
Messages marked `is_demo` are a demonstration, given to the agent and not asked of it.

What is read is the history as it grew. SWE-agent's own history processors, which shorten old observations in
what they send, are left out: that is what the proxy is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from proxy.replay.documents import Document
from proxy.replay.formats.chat import recorded
from proxy.replay.recorded import Message, Place, Recorded, kind

SWE_AGENT = "swe-agent"

_FIELDS = ("role", "content", "tool_calls", "tool_call_id", "name")


def recognises(value: Any) -> bool:
    """Whether a document is a trajectory."""
    match value:
        case {"history": list()} | {"trajectory": list(), "replay_config": _} | {"trajectory": list(), "info": _}:
            return True
        case _:
            return False


def sessions(documents: Sequence[Document], name: str) -> Iterator[Recorded]:
    """One session for each trajectory; a file usually holds one."""
    for number, document in enumerate(documents, start=1):
        yield _session(document, name if len(documents) == 1 else f"{name}#{number}")


def _session(document: Document, name: str) -> Recorded:
    place = document.place
    history = document.value.get("history") if isinstance(document.value, dict) else None
    if not isinstance(history, list):
        raise place.fault(f"expected a trajectory with a list of messages in history, found {kind(history)}")
    placed = []
    demonstrated = 0
    for number, value in enumerate(history, start=1):
        here = place.at(f"history message {number}")
        message = _sent(value, here)
        placed.append((message, here))
        demonstrated += bool(value.get("is_demo")) and message.get("role") == "assistant"
    session = recorded(placed, name, SWE_AGENT)
    return replace(session, given=_end_of_answers(session.messages, demonstrated))


def _end_of_answers(messages: Sequence[Message], count: int) -> int:
    """The index behind the first `count` assistant messages."""
    ends = [index + 1 for index, message in enumerate(messages) if message["role"] == "assistant"]
    return ends[count - 1] if count else 0


def _sent(value: Any, place: Place) -> Message:
    """The message as it was sent; one result for several calls answers the first of them."""
    if not isinstance(value, dict):
        raise place.fault(f"expected a message, found {kind(value)}")
    message = {key: value[key] for key in _FIELDS if value.get(key) is not None}
    if thought := _thinking(value, place):
        message["reasoning_content"] = thought
    if message.get("role") == "tool" and "tool_call_id" not in message:
        ids = value.get("tool_call_ids")
        if not isinstance(ids, list) or not ids:
            raise place.fault(f"expected tool_call_ids in a tool message, found {kind(ids)}")
        message["tool_call_id"] = ids[0]
    return message


def _thinking(value: Mapping[str, Any], place: Place) -> str:
    blocks = value.get("thinking_blocks") or []
    if not isinstance(blocks, list):
        raise place.fault(f"expected a list of thinking_blocks, found {kind(blocks)}")
    texts = [block.get("thinking") for block in blocks if isinstance(block, dict)]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)
