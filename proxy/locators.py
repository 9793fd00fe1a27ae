"""Locators: the names under which originals are kept.

A keyed digest of tenant and content: opaque, unguessable, the same for the same content on every replica, and never
made from a client's id or path.
"""

from __future__ import annotations

import re
from base64 import b32encode
from collections.abc import Callable
from hashlib import blake2b

PATTERN = re.compile(r"art_[a-z2-7]{12}")


def locator_maker(secret: bytes, tenant: str) -> Callable[[str, bytes], str]:
    """`locate(kind, data)` for one tenant."""
    key = blake2b(secret, digest_size=32).digest()
    prefix = f"{tenant}\0".encode()

    def locate(kind: str, data: bytes) -> str:
        digest = blake2b(prefix + kind.encode() + b"\0", key=key, digest_size=8)
        digest.update(data)
        return "art_" + b32encode(digest.digest()).decode().lower()[:12]

    return locate
