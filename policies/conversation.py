"""Facts about a conversation: what the fold knows of each message without holding its text.

A message's facts are counted and digested once, by whoever parses it. Texts are read on demand, and only
those that an edit needs: `Conversation.text` and `.arguments` reach back to the request at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant", "tool", "other"]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of an assistant message. `tokens` counts its arguments only."""

    id: str
    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Message:
    """What decides about one message.

    `role` is folded: developer counts as system, a legacy function result as tool, what nobody knows as other.
    `digest` covers the meaning only: key order, null fields, cache markers, reasoning and the choice
    between a string and a one-part list do not change it.
    `tokens` counts the meaning, per-message overhead included; `extra_tokens` what counts for the brake
    alone (reasoning, cache markers, unknown fields).
    `parts` holds the tokens of each content part in order, 0 for a part that is not text; a string is one part.
    `result_of` is the id of the call that a tool message answers ("" where the client sent none).
    """

    role: Role
    digest: bytes
    tokens: int
    extra_tokens: int = 0
    parts: tuple[int, ...] = ()
    calls: tuple[Call, ...] = ()
    result_of: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of one request.

    `text(i, p)` is the text of part `p` of message `i`; `arguments(i, c)` the argument string of its call `c`;
    `canonical(i)` the meaning of message `i` as one line of JSON, the same for every serialisation of it.
    """

    messages: Sequence[Message]
    text: Callable[[int, int], str]
    arguments: Callable[[int, int], str]
    canonical: Callable[[int], str]
