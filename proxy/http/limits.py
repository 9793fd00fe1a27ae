"""Limits of a tenant around its requests: how many at once, and how many tokens.

Requests at once are counted in this process, before a body is read. Tokens are reserved in the store when the plan
says how many go upstream, and settled behind the answer; a tenant without such a limit costs no round trip.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.errors import Overloaded, OverQuota, StoreError
from proxy.http import keys
from proxy.http.shortfalls import Shortfalls
from proxy.settings import LimitSettings
from proxy.state.quotas import Full, Reserved
from proxy.upstream import Usage

_UNLIMITED_PATHS = "/v1/context/mcp"
"""An MCP client keeps a connection open between its calls."""


class Present:
    """How many requests of each tenant are being answered here."""

    def __init__(self) -> None:
        self._count = Counter[str]()

    def enter(self, tenant: str, most: int) -> bool:
        """Whether there was room for one more."""
        if self._count[tenant] >= most:
            return False
        self._count[tenant] += 1
        return True

    def leave(self, tenant: str) -> None:
        """The other half of `enter`."""
        self._count[tenant] -= 1


class Spending:
    """What one request's calls have used, for the limits. `reserved` None: nobody counts."""

    def __init__(self, reserved: Reserved | None) -> None:
        self.reserved = reserved
        self.billed = 0

    def answered(self, status: int, rounds: Sequence[Usage]) -> None:
        """The provider began to answer: a success is billed, by the reservation where it does not say how much."""
        if self.reserved is not None and status < 300:
            said = sum(usage.input_tokens + usage.output_tokens for usage in rounds)
            self.billed = said if rounds else self.reserved.tokens


PRESENT = web.AppKey("present", Present)
SPENDING = web.RequestKey("spending", Spending)


@web.middleware
async def within_limit(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse, before its body is read, what is one request too many of its tenant."""
    tenant = request.get(keys.TENANT)
    most = tenant.limits.requests_in_flight if tenant else 0
    if tenant is None or not most or request.method != "POST" or request.path.startswith(_UNLIMITED_PATHS):
        return await handler(request)
    present = request.app[PRESENT]
    if not present.enter(tenant.name, most):
        request.app[keys.METRICS].over_quota(tenant.name, "requests_in_flight")
        raise OverQuota(
            f"limit requests_in_flight of tenant {tenant.name!r}: {most} requests are being answered, which is all "
            "that it may have at once; it frees when one of them ends, try again in 1 s",
            retry_after=1,
        )
    try:
        return await handler(request)
    finally:
        present.leave(tenant.name)


@asynccontextmanager
async def spending(
    request: web.Request, session: str | None, tokens: int, shortfalls: Shortfalls
) -> AsyncIterator[None]:
    """Reserve the input of a call for as long as it lasts, and settle behind it. OverQuota where there is no room.

    Whoever gets the answer tells `request[SPENDING]`; a call that failed before one, or was refused, gives all back.
    """
    limits = request[keys.TENANT].limits
    reserved = await _reserved(request, limits, session, tokens, shortfalls) if counts_tokens(limits) else None
    spent = request[SPENDING] = Spending(reserved)
    try:
        yield
    finally:
        if reserved is not None:
            request.app[keys.BACKGROUND].start(_settled(request.app, reserved, spent.billed, shortfalls))


def charge(app: web.Application, tenant: str, usage: Usage) -> None:
    """Count a call that the proxy itself made for a tenant: it is not refused, but later ones may be."""
    limits = app[keys.TENANTS].limits_of(tenant)
    if counts_tokens(limits):
        nothing = app[keys.QUOTAS].unreserved(tenant, None, limits)
        shortfalls = Shortfalls(app[keys.METRICS].degraded)
        app[keys.BACKGROUND].start(_settled(app, nothing, usage.input_tokens + usage.output_tokens, shortfalls))


def counts_tokens(limits: LimitSettings) -> bool:
    """Whether any limit needs the store."""
    return bool(limits.tokens_per_minute or limits.tokens_per_day or limits.tokens_per_session)


async def _reserved(
    request: web.Request, limits: LimitSettings, session: str | None, tokens: int, shortfalls: Shortfalls
) -> Reserved:
    quotas, tenant = request.app[keys.QUOTAS], request[keys.TENANT].name
    try:
        found = await quotas.reserve(tenant, session, limits, tokens)
    except StoreError as error:
        if limits.on_store_failure == "closed":
            raise Overloaded(
                f"the token limits of tenant {tenant!r} cannot be checked, for the state store does not answer, and "
                "without it nothing is let through (limits.on_store_failure: closed); try again in a moment"
            ) from error
        shortfalls.add("state")
        return quotas.unreserved(tenant, session, limits)
    if isinstance(found, Reserved):
        return found
    request.app[keys.METRICS].over_quota(tenant, found[0].limit)
    raise _refusal(tenant, found[0])


async def _settled(app: web.Application, reserved: Reserved, billed: int, shortfalls: Shortfalls) -> None:
    """Not waited for; a store that fails costs a figure."""
    try:
        await app[keys.QUOTAS].settle(reserved, billed)
    except StoreError:
        shortfalls.add("state")


def _refusal(tenant: str, full: Full) -> OverQuota:
    told = f"limit {full.limit} of tenant {tenant!r} is {full.most:,} tokens, of which {full.used:,} are used"
    needs = f"this request needs about {full.needed:,}" if full.needed else "nothing is left"
    if full.needed > full.most:
        remedy = "which is more than the whole limit: make it smaller, or have the limit raised"
    elif full.limit == "tokens_per_session":
        remedy = f"start a new session; this one is forgotten when it was not used for {full.frees_in:,} s"
    else:
        at = datetime.now(UTC) + timedelta(seconds=full.frees_in)
        remedy = f"it frees at {at:%Y-%m-%dT%H:%M:%SZ}, in {full.frees_in:,} s"
    return OverQuota(f"{told}; {needs}; {remedy}", retry_after=full.frees_in)
