"""Isolation: which messages of a request its sub-agent only inherited.

What stands before the sub-agent's task is its parent's and leaves, all but system text; what stands from the task on
is its own and stays. This depends on the messages and the place of the task alone, so that while the task stays
where it is the same messages leave, and the request only grows at its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from policies import markers
from policies.conversation import Message
from policies.edits import Drop, Note


def possible_tasks(messages: Sequence[Message]) -> list[int]:
    """The user's messages, in order: each may be the one that began the sub-agent."""
    return [index for index, message in enumerate(messages) if message.role == "user"]


def inherited(messages: Sequence[Message], task: int) -> list[int]:
    """The messages that leave, in order; none where no assistant spoke before the task.

    A result that comes after the task but belongs to a call before it leaves with its call.
    """
    if not any(message.role == "assistant" for message in messages[:task]):
        return []
    before = [index for index in range(task) if messages[index].role != "system"]
    return before + list(_late_results(messages, task))


def isolation(
    messages: Sequence[Message], task: int, count: Callable[[str], int], locate: Callable[[str, bytes], str]
) -> tuple[Drop | Note, ...]:
    """The edits that leave a sub-agent its own: what it inherited drops, and a notice stands behind its task."""
    gone = inherited(messages, task)
    if not gone:
        return ()
    locator = locate("turns", b"".join(messages[index].digest for index in gone))
    text = markers.inherited(len(gone), sum(messages[index].tokens for index in gone), locator)
    drops = (
        Drop(start, end, locator, sum(message.tokens for message in messages[start:end]), "isolate")
        for start, end in _runs(gone)
    )
    return (*drops, Note(task, text, count(text)))


def _late_results(messages: Sequence[Message], task: int) -> Iterator[int]:
    """Results behind the task whose calls stand before it; an id that was used again is the newer call's."""
    theirs = _pending(messages[:task])
    own: Counter[str] = Counter()
    for index in range(task, len(messages)):
        message = messages[index]
        own.update(call.id for call in message.calls)
        if message.role != "tool":
            continue
        id_ = message.result_of or ""
        if own[id_] > 0:
            own[id_] -= 1
        elif theirs[id_] > 0:
            theirs[id_] -= 1
            yield index


def _pending(messages: Sequence[Message]) -> Counter[str]:
    """How many calls of each id have no result here."""
    waiting: Counter[str] = Counter()
    for message in messages:
        waiting.update(call.id for call in message.calls)
        if message.role == "tool" and waiting[message.result_of or ""] > 0:
            waiting[message.result_of or ""] -= 1
    return waiting


def _runs(indices: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The same indices as ranges, each from its start up to, not including, its end."""
    start = end = indices[0]
    for index in indices:
        if index > end:
            yield start, end
            start = index
        end = index + 1
    yield start, end
