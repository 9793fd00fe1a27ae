"""Names of keys: `forebay:{tenant/session}:part`.

The tenant stands in every key, what belongs to one session shares a hash slot, and no string of a client can
break out: what is not a plain name is replaced by its digest, whose `~` no plain name contains.
"""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def session_key(tenant: str, session: str, part: str) -> str:
    """A key of one session."""
    return f"forebay:{{{_plain(tenant)}/{_plain(session)}}}:{part}"


def tenant_key(tenant: str, part: str) -> str:
    """A key of the tenant itself."""
    return f"forebay:{{{_plain(tenant)}}}:{part}"


def _plain(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return "~" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
