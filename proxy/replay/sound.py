"""Calls and results put together, as a provider demands: every call has exactly its results, right behind it.

Recordings break this where an agent was interrupted, retried, or talked to in between. What stood between a call
and its result comes after the result; a result without a call is left out; a call without a result gets one that
says so. Each is told in a sentence, for nothing is mended in silence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proxy.replay.messages import calls_of
from proxy.replay.recorded import Message

NO_RESULT = "(the recording holds no result of this call)"

Numbered = tuple[int, Message]


def sound(messages: Sequence[Message]) -> tuple[list[Message], tuple[str, ...]]:
    """The messages in an order that a provider accepts, and what was mended; messages are counted from 1."""
    settled: list[Message] = []
    mends: list[str] = []
    for group in _groups(messages):
        results, others = _parted(group, mends)
        missing = _missing(group, results, mends)
        head = others[:1] if others and others[0] == group[0] else []
        settled += [message for _, message in (*head, *results)]
        settled += missing
        settled += [message for _, message in others[len(head) :]]
    return settled, tuple(mends)


def _groups(messages: Sequence[Message]) -> Iterator[list[Numbered]]:
    """The messages cut before each assistant message: a result belongs to the last call of its id before it."""
    group: list[Numbered] = []
    for number, message in enumerate(messages, start=1):
        if message["role"] == "assistant" and group:
            yield group
            group = []
        group.append((number, message))
    if group:
        yield group


def _parted(group: Sequence[Numbered], mends: list[str]) -> tuple[list[Numbered], list[Numbered]]:
    """The results that answer the group's calls, and all that is no result."""
    waiting = [call["id"] for call in calls_of(group[0][1])]
    results: list[Numbered] = []
    others: list[Numbered] = []
    for number, message in group:
        if message["role"] != "tool":
            others.append((number, message))
            continue
        id_ = message["tool_call_id"]
        if id_ not in waiting:
            mends.append(f"message {number}, a result of {id_!r} without an open call of that id, is left out")
            continue
        if len(others) > 1:
            mends.append(f"message {number}, a result, moves to the call that it answers")
        waiting.remove(id_)
        results.append((number, message))
    return results, others


def _missing(group: Sequence[Numbered], results: Sequence[Numbered], mends: list[str]) -> list[Message]:
    """Results for the calls that have none."""
    number, first = group[0]
    answered = {message["tool_call_id"] for _, message in results}
    open_ids = [call["id"] for call in calls_of(first) if call["id"] not in answered]
    mends += [f"the call {id_!r} of message {number} has no result and gets one that says so" for id_ in open_ids]
    return [{"role": "tool", "tool_call_id": id_, "content": NO_RESULT} for id_ in open_ids]
