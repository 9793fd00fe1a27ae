"""Whose session a request belongs to, and which one spawned it.

A sub-agent that asked to be isolated gets a session of its own even where it sends its parent's name for it: what it
would belong to without the header is then its parent's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from policies.conversation import Message
from proxy.http import keys
from proxy.http.asking import Question
from proxy.http.sessions import child_of, client_name, derived, session_of
from proxy.isolation import Isolated
from proxy.wire.reader import Read


@dataclass(frozen=True, slots=True)
class Named:
    """A session and the one that spawned it, if any is known."""

    session: str
    parent: str | None


def named(request: web.Request, asked: Question, read: Read) -> Named:
    """The session of a request, and its parent. `read` is what goes on of it."""
    isolated = asked.asked.isolated
    if isolated is None:
        return Named(session_as_sent(request, read), asked.parent)
    own = session_as_sent(request, isolated.read)
    if client_name(request.headers, isolated.read.envelope.value) is None:
        return _unnamed(request, isolated, own, asked.parent)
    if asked.parent not in (None, own):
        return Named(own, asked.parent)
    task = isolated.read.messages[isolated.task].digest
    return Named(child_of(own, task, request[keys.TENANT].name, request.app[keys.SECRET]), own)


def session_as_sent(request: web.Request, read: Read) -> str:
    """The session of a request as if it were not isolated: by a name of the client's or by how its history starts."""
    tenant, secret = request[keys.TENANT].name, request.app[keys.SECRET]
    first_user = next((index for index, message in enumerate(read.messages) if message.role == "user"), 0)
    return session_of(
        request.headers, read.envelope.value, tenant, secret, lambda: _beginning(read.messages, first_user)
    )


def _unnamed(request: web.Request, isolated: Isolated, own: str, parent: str | None) -> Named:
    """By system text and task. What it inherited tells its parent, if the client does not."""
    texts = _beginning(isolated.read.messages, isolated.task)
    session = derived(texts, request[keys.TENANT].name, request.app[keys.SECRET])
    is_heir = bool(isolated.edits) and own != session
    return Named(session, parent or (own if is_heir else None))


def _beginning(messages: Sequence[Message], user: int) -> bytes:
    """What the system text up to the user message at `user`, and that message, mean."""
    told = (m for i, m in enumerate(messages[: user + 1]) if m.role == "system" or (m.role == "user" and i == user))
    return b"".join(message.digest for message in told)
