"""The tenant's sessions: listed, read, erased. `{id}` is our digest or the client's own id."""

from __future__ import annotations

from aiohttp import web

from proxy.errors import NotFound, RequestError
from proxy.http import keys
from proxy.http.sessions import digest_of

MOST_LISTED = 1_000


async def list_sessions(request: web.Request) -> web.Response:
    """The latest sessions first; `limit` up to 1,000, else 100."""
    asked = request.query.get("limit", "100")
    if not asked.isascii() or not asked.isdigit() or not 1 <= int(asked[:6]) <= MOST_LISTED:
        raise RequestError(f"limit {asked[:40]!r} is not a number from 1 to {MOST_LISTED}", param="limit")
    sessions = await request.app[keys.SESSIONS].list(request[keys.TENANT].name, int(asked[:6]))
    return web.json_response({"object": "list", "data": sessions})


async def get_session(request: web.Request) -> web.Response:
    """Totals, parent, children and last requests of one session."""
    session = await request.app[keys.SESSIONS].get(request[keys.TENANT].name, _session(request))
    if session is None:
        raise _not_found()
    return web.json_response(session)


async def delete_session(request: web.Request) -> web.Response:
    """Erase the session's artifacts, then its records; may be repeated if a store fails in between."""
    tenant, session = request[keys.TENANT].name, _session(request)
    artifacts = await request.app[keys.ARTIFACTS].erase_session(tenant, session)
    request.app[keys.KEEPER].forget(tenant)
    known = await request.app[keys.SESSIONS].erase(tenant, session)
    if not known and not artifacts:
        raise _not_found()
    return web.json_response({"id": session, "deleted": True, "artifacts": artifacts})


def _session(request: web.Request) -> str:
    return digest_of(request.match_info["id"], request[keys.TENANT].name, request.app[keys.SECRET])


def _not_found() -> NotFound:
    return NotFound("there is no such session, or it has expired")
