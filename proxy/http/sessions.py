"""Naming sessions: whatever a client calls its session becomes a keyed digest of ours.

The digest has a fixed alphabet and length, so that no client string ever stands in a key, a path or a
header, and the tenant is part of it, so that nobody can name another's session.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

CLIENT_HEADERS: Final = (
    "x-context-session",
    "x-session-id",
    "x-session-affinity",
    "session-id",
    "thread-id",
    "x-claude-code-session-id",
)
_LETTERS = 20
_CHECK = 4
_DIGEST = re.compile(rf"ses_[a-z2-7]{{{_LETTERS}}}")


def session_of(
    headers: Mapping[str, str],
    body_field: Callable[[str], Any],
    tenant: str,
    secret: bytes,
    first_texts: Callable[[], bytes],
) -> str:
    """The session id of one request: the first name that the client gives, else one derived from its texts.

    `body_field(name)` is the decoded top-level field of the body or None; `first_texts()` is asked only if
    no name is given, and answers the system text and the first user message.
    """
    name = client_name(headers, body_field)
    return digest_of(name, tenant, secret) if name else derived(first_texts(), tenant, secret)


def client_name(headers: Mapping[str, str], body_field: Callable[[str], Any]) -> str | None:
    """The first name that the client gives its session; None if it gives none."""
    for header in CLIENT_HEADERS:
        if name := headers.get(header):
            return name
    metadata = body_field("metadata")
    in_metadata = metadata.get("session_id") if isinstance(metadata, dict) else None
    named = (name for name in (body_field("prompt_cache_key"), in_metadata) if isinstance(name, str) and name)
    return next(named, None)


def derived(texts: bytes, tenant: str, secret: bytes) -> str:
    """The session id of a history that nobody named, from its first texts."""
    return _digest(b"derived", texts, tenant, secret)


def child_of(session: str, task: bytes, tenant: str, secret: bytes) -> str:
    """The session id of a sub-agent that has no name but its parent's."""
    return _digest(b"child", session.encode() + task, tenant, secret)


def digest_of(client_id: str, tenant: str, secret: bytes) -> str:
    """The session id behind a client's own id. A digest of this tenant's stays itself: both name the same session.

    Its last letters check the others under tenant and secret, so that another tenant's digest is only a name.
    """
    if _DIGEST.fullmatch(client_id) and client_id == _checked(client_id[:-_CHECK], tenant, secret):
        return client_id
    return _digest(b"named", client_id.encode("utf-8", "surrogatepass"), tenant, secret)


def _digest(kind: bytes, name: bytes, tenant: str, secret: bytes) -> str:
    # a tenant's name holds no NUL, so what stands before the first one is the tenant
    digest = _keyed(kind, tenant.encode() + b"\0" + name, secret)
    return _checked("ses_" + _letters(digest)[: _LETTERS - _CHECK], tenant, secret)


def _checked(unchecked: str, tenant: str, secret: bytes) -> str:
    digest = _keyed(b"check", tenant.encode() + b"\0" + unchecked.encode(), secret)
    return unchecked + _letters(digest)[:_CHECK]


def _keyed(kind: bytes, data: bytes, secret: bytes) -> bytes:
    key = hashlib.blake2b(secret, digest_size=32).digest()
    return hashlib.blake2b(data, key=key, digest_size=13, person=b"session " + kind).digest()


def _letters(digest: bytes) -> str:
    return base64.b32encode(digest).decode().lower()
