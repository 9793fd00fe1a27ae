"""Whose request this is: a key becomes a tenant, and the tenant stands in every key of every store."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from proxy.errors import Unauthorized
from proxy.keys import hash_key
from proxy.settings import Settings


@dataclass(frozen=True, slots=True)
class Tenant:
    """A team. `policies` are those its requests may choose by header; None means every known one."""

    name: str
    default_policy: str | None
    policies: frozenset[str] | None


LOCAL = Tenant("local", default_policy=None, policies=None)
"""Everybody, where there are no keys."""


class Tenants:
    """The configured tenants and the hashes of their keys; no key is held."""

    def __init__(self, settings: Settings) -> None:
        self._keyless = settings.auth.mode == "none"
        self._by_hash: list[tuple[bytes, Tenant]] = []
        for configured in settings.tenants:
            allowed = {*configured.policies, *([configured.policy] if configured.policy else [])}
            tenant = Tenant(configured.name, configured.policy, frozenset(allowed))
            self._by_hash += [(digest.encode(), tenant) for digest in configured.key_hashes]

    def identify(self, authorization: str | None) -> Tenant:
        """The tenant of an Authorization header; Unauthorized, which never repeats the key, if none."""
        if self._keyless:
            return LOCAL
        digest = hash_key(_bearer(authorization)).encode()
        found = None
        for known, tenant in self._by_hash:
            # every hash is compared, so that the time taken does not tell which came close
            if hmac.compare_digest(known, digest):
                found = tenant
        if found is None:
            raise Unauthorized("the key belongs to no tenant; `forebay keys new --tenant NAME` makes one")
        return found


def _bearer(authorization: str | None) -> str:
    scheme, _, key = (authorization or "").partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key:
        raise Unauthorized("no key; send it as `Authorization: Bearer KEY` (no other header is read)")
    return key
