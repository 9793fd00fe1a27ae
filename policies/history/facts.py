"""Facts beside a summary that are not left to a model: tracked by rule from the turns that it stands for.

Files and what was done to them, errors word for word, and what people asked for. Calls that wait for a result need no
mention: their turns never leave. Each list is bounded, the newest entries first to stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from policies.conversation import Conversation
from policies.history.stale_reads import does, path_of
from policies.history.stubs import errors
from policies.terms import Terms

FILES_TOKENS = 150
ERRORS_TOKENS = 200
WISHES_TOKENS = 300
ONE_WISH_CHARACTERS = 400
"""What is shown of one thing that a user said: about a hundred tokens."""


def facts(conversation: Conversation, indices: Sequence[int], terms: Terms) -> str:
    """The facts of these messages as lines; empty where there are none."""
    kept = (
        ("Files: ", "; ", _files(conversation, indices), FILES_TOKENS),
        ("Errors seen:\n", "\n", _errors(conversation, indices, terms), ERRORS_TOKENS),
        ("The user said:\n", "\n", _wishes(conversation, indices), WISHES_TOKENS),
    )
    told = [
        head + between.join(newest)
        for head, between, found, most in kept
        if (newest := _newest(list(found), most, terms.count))
    ]
    return "\n".join(told)


def _files(conversation: Conversation, indices: Sequence[int]) -> Iterator[str]:
    """Each file with what was done to it, the one touched last at the end."""
    done: dict[str, dict[str, None]] = {}
    for index in indices:
        for position, call in enumerate(conversation.messages[index].calls):
            path = path_of(conversation.arguments(index, position))
            if path is not None:
                acts = done.pop(path, {})
                done[path] = acts | {_PAST.get(does(call.name) or "", call.name): None}
    for path, acts in done.items():
        yield f"{path} ({', '.join(acts)})"


_PAST = {"reads": "read", "edits": "edited"}


def _errors(conversation: Conversation, indices: Sequence[int], terms: Terms) -> Iterator[str]:
    seen: dict[str, None] = {}
    for index in indices:
        message = conversation.messages[index]
        if message.role == "tool":
            for part, tokens in enumerate(message.parts):
                if tokens:
                    seen |= dict.fromkeys(errors(conversation.text(index, part), terms))
    yield from seen


def _wishes(conversation: Conversation, indices: Sequence[int]) -> Iterator[str]:
    for index in indices:
        message = conversation.messages[index]
        if message.role == "user":
            text = " ".join(" ".join(conversation.text(index, p) for p, t in enumerate(message.parts) if t).split())
            if text:
                yield f"- {text[:ONE_WISH_CHARACTERS]}{'...' if len(text) > ONE_WISH_CHARACTERS else ''}"


def _newest(lines: Sequence[str], most: int, count: Callable[[str], int]) -> list[str]:
    """The last of these that fit, in their order."""
    kept: list[str] = []
    for line in reversed(lines):
        most -= count(line) + 1
        if most < 0:
            break
        kept.append(line)
    return kept[::-1]
