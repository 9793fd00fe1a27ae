"""Agents' keys: 256 random bits, shown once, kept as a hash.

Key stretching (scrypt, argon2) slows the guessing of what people choose. Nobody guesses 256 random bits, so
one round of SHA-256 keeps a leaked configuration harmless, and costs a request next to nothing.
"""

from __future__ import annotations

import hashlib
import secrets

PREFIX = "fb-"
HASH_PREFIX = "sha256:"


def new_key() -> str:
    """A new key: `fb-` and 43 URL-safe characters."""
    return PREFIX + secrets.token_urlsafe(32)


def hash_key(key: str) -> str:
    """What stands for a key in the configuration: `sha256:` and 64 hex digits. Any text has one."""
    return HASH_PREFIX + hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()
