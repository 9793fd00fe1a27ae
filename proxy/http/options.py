"""What a client may choose by header: the policy, the mode, the parent session, isolation from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from proxy.errors import Forbidden, RequestError
from proxy.tenants import Tenant

Mode = Literal["enforce", "observe", "off"]


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """`mode` None leaves it to the policy. `parent` is the client's own word: digest it before use.

    `isolates` asks that what this request inherited from its parent is left out.
    """

    policy: str
    mode: Mode | None
    parent: str | None
    isolates: bool


def options_of(
    headers: Mapping[str, str],
    tenant: Tenant,
    *,
    route_policy: str | None,
    known: Collection[str],
    allow_off: bool,
) -> RequestOptions:
    """The options of one request; `known` are the names of all loaded policies."""
    return RequestOptions(
        policy=policy_of(tenant, headers.get("x-context-policy"), route_policy, known),
        mode=_mode(headers.get("x-context-mode"), allow_off),
        parent=headers.get("x-context-parent") or None,
        isolates=_isolates(headers.get("x-context-isolate")),
    )


def policy_of(tenant: Tenant, asked: str | None, route_policy: str | None, known: Collection[str]) -> str:
    """Header > tenant > model > `default`; Forbidden for one that the tenant may not use or nobody knows."""
    if asked is not None and tenant.policies is not None and asked not in tenant.policies:
        choice = ", ".join(sorted(tenant.policies)) or "none; leave the header out"
        raise Forbidden(f"policy {asked[:80]!r} is not one of this tenant's ({choice})", param="x-context-policy")
    chosen = asked if asked is not None else tenant.default_policy or route_policy or "default"
    if chosen not in known:
        raise Forbidden(
            f"policy {chosen[:80]!r} is unknown; there are {', '.join(sorted(known))}",
            param="x-context-policy",
        )
    return chosen


def _mode(asked: str | None, allow_off: bool) -> Mode | None:
    match asked:
        case None | "enforce" | "observe":
            return asked
        case "off" if allow_off:
            return asked
        case "off":
            raise Forbidden("x-context-mode off is switched off here; use observe", param="x-context-mode")
        case _:
            raise RequestError(
                f"x-context-mode {asked[:80]!r} is none of enforce, observe, off", param="x-context-mode"
            )


def _isolates(asked: str | None) -> bool:
    match asked:
        case None:
            return False
        case "1" | "true":
            return True
        case _:
            raise RequestError(
                f"x-context-isolate {asked[:80]!r} is not 1; send 1, or leave the header out", param="x-context-isolate"
            )
