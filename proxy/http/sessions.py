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
_DIGEST = re.compile(r"ses_[a-z2-7]{20}")


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
    for header in CLIENT_HEADERS:
        if name := headers.get(header):
            return digest_of(name, tenant, secret)
    metadata = body_field("metadata")
    in_metadata = metadata.get("session_id") if isinstance(metadata, dict) else None
    for name in (body_field("prompt_cache_key"), in_metadata):
        if isinstance(name, str) and name:
            return digest_of(name, tenant, secret)
    return _digest(b"derived", first_texts(), tenant, secret)


def digest_of(client_id: str, tenant: str, secret: bytes) -> str:
    """The session id behind a client's own id. A digest stays itself: both name the same session."""
    if _DIGEST.fullmatch(client_id):
        return client_id
    return _digest(b"named", client_id.encode("utf-8", "surrogatepass"), tenant, secret)


def _digest(kind: bytes, name: bytes, tenant: str, secret: bytes) -> str:
    key = hashlib.blake2b(secret, digest_size=32).digest()
    # a tenant's name holds no NUL, so what stands before the first one is the tenant
    digest = hashlib.blake2b(
        tenant.encode() + b"\0" + name, key=key, digest_size=13, person=b"session " + kind
    ).digest()
    return "ses_" + base64.b32encode(digest).decode().lower()[:20]
