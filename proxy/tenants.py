"""Whose request this is: a key becomes a tenant, and the tenant stands in every key of every store."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass, field

from pydantic import SecretStr

from proxy.errors import Unauthorized
from proxy.keys import hash_key
from proxy.settings import LimitSettings, Settings

PASSTHROUGH = "passthrough-"
"""With this and a digest of its key begins the name of a tenant that nobody configured."""

_LONGEST_KEY = 8_192


@dataclass(frozen=True, slots=True)
class Tenant:
    """A team. `policies` are those its requests may choose by header; None means every known one.

    `credential` is the client's own key where that is what goes upstream.
    """

    name: str
    default_policy: str | None
    policies: frozenset[str] | None
    limits: LimitSettings = field(default_factory=LimitSettings)
    credential: SecretStr | None = None


LOCAL = Tenant("local", default_policy=None, policies=None)
"""Everybody, where there are no keys."""


class Tenants:
    """The configured tenants and the hashes of their keys; no key is held. `secret` names those whom nobody did."""

    def __init__(self, settings: Settings, secret: bytes) -> None:
        self._mode = settings.auth.mode
        self._secret = hashlib.blake2b(secret, digest_size=32).digest()
        self._by_hash: list[tuple[bytes, Tenant]] = []
        self._limits = {configured.name: configured.limits for configured in settings.tenants}
        for configured in settings.tenants:
            allowed = {*configured.policies, *([configured.policy] if configured.policy else [])}
            tenant = Tenant(configured.name, configured.policy, frozenset(allowed), configured.limits)
            self._by_hash += [(digest.encode(), tenant) for digest in configured.key_hashes]

    def limits_of(self, name: str) -> LimitSettings:
        """The limits of a tenant; none of one that nobody configured."""
        return self._limits.get(name) or LimitSettings()

    def identify(self, authorization: str | None) -> Tenant:
        """The tenant of an Authorization header; Unauthorized, which never repeats the key, if none."""
        if self._mode == "none":
            return LOCAL
        key = _bearer(authorization)
        found = self._configured(key)
        if self._mode == "passthrough":
            return self._with_own_key(key, found)
        if found is None:
            raise Unauthorized("the key belongs to no tenant; `forebay keys new --tenant NAME` makes one")
        return found

    def _configured(self, key: str) -> Tenant | None:
        digest = hash_key(key).encode()
        found = None
        for known, tenant in self._by_hash:
            # every hash is compared, so that the time taken does not tell which came close
            if hmac.compare_digest(known, digest):
                found = tenant
        return found

    def _with_own_key(self, key: str, found: Tenant | None) -> Tenant:
        """Whoever holds this key, which the provider will judge; what a header cannot carry is no key."""
        if not (key.isascii() and key.isprintable()) or " " in key or len(key) > _LONGEST_KEY:
            raise Unauthorized("no provider's key looks like this one; send it as it was given to you")
        credential = SecretStr(key)
        if found is not None:
            return Tenant(found.name, found.default_policy, found.policies, found.limits, credential)
        digest = hashlib.blake2b(key.encode(), key=self._secret, digest_size=16, person=b"tenant").digest()
        name = PASSTHROUGH + base64.b32encode(digest).decode().rstrip("=").lower()
        return Tenant(name, default_policy=None, policies=frozenset(), credential=credential)


def _bearer(authorization: str | None) -> str:
    scheme, _, key = (authorization or "").partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key:
        raise Unauthorized("no key; send it as `Authorization: Bearer KEY` (no other header is read)")
    return key
