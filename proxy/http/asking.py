"""From an HTTP request to what the context engine is asked: body, route, policy, mode and session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from policies.conversation import Message
from proxy.context import Asked
from proxy.http import keys
from proxy.http.body import read_json_body
from proxy.http.options import options_of
from proxy.http.sessions import digest_of, session_of
from proxy.retrieval.tool import DEFINITIONS, READ_ONLY
from proxy.wire.envelope import slice_body
from proxy.wire.reader import Read


@dataclass(frozen=True, slots=True)
class Question:
    """A completion as it was asked for; `parent` names the session that spawned this one."""

    asked: Asked
    parent: str | None


async def question(request: web.Request) -> Question:
    """Read and resolve a request; RequestError and its kin say what the client must change."""
    envelope = slice_body(await read_json_body(request))
    app, tenant = request.app, request[keys.TENANT]
    route = app[keys.CATALOG].resolve(envelope.model)
    request[keys.MODEL], request[keys.STREAM] = route.name, envelope.stream
    options = options_of(
        request.headers,
        tenant,
        route_policy=route.policy,
        known=app[keys.ENGINE].policies,
        allow_off=app[keys.SETTINGS].auth.allow_mode_off,
    )
    parent = digest_of(options.parent, tenant.name, app[keys.SECRET]) if options.parent else None
    tools = frozenset(DEFINITIONS) if app[keys.WORKSPACES].has(tenant.name) else READ_ONLY
    return Question(Asked(envelope, tenant.name, route, options.policy, options.mode, tools), parent)


def session_named(request: web.Request, read: Read) -> str:
    """The session that a request belongs to, by a name of the client's or by how its history starts."""
    tenant, secret = request[keys.TENANT].name, request.app[keys.SECRET]
    return session_of(request.headers, read.envelope.value, tenant, secret, lambda: _beginning(read.messages))


def _beginning(messages: Sequence[Message]) -> bytes:
    """What system text and first user message mean."""
    first_user = next((index for index, message in enumerate(messages) if message.role == "user"), 0)
    return b"".join(message.digest for message in messages[: first_user + 1] if message.role in {"system", "user"})
