"""What tenants have used of their token limits, counted in the store for all workers and replicas together.

A window is fixed: a minute or a day of the clock (UTC), or a session's life. So a full one frees at one known moment,
which the refusal can name and a client can trust; the price is that two windows' worth may pass within one minute
around the moment of change. A sliding window would be smoother, but knows only after the fact when it has room.

A call reserves its estimated input before it goes out, so that calls beside it see it, and is settled when its bill
is known. Without the output nobody knows the bill before: the calls in flight may overshoot by their answers, and by
no more. What a call used beyond its reservation counts now; what it did not use goes back to where it was taken.
The counters of a tenant share a slot, so that one script checks and reserves all of them, or none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from proxy.errors import StoreError
from proxy.settings import LimitSettings
from proxy.state.keys import tenant_key
from proxy.state.redis import StateStore

Limit = Literal["tokens_per_minute", "tokens_per_day", "tokens_per_session"]
_SECONDS: dict[Limit, int] = {"tokens_per_minute": 60, "tokens_per_day": 86_400}

_RESERVE = """
local answer = {1}
for i, key in ipairs(KEYS) do
  local used = tonumber(redis.call('GET', key) or '0')
  local most = tonumber(ARGV[2 * i])
  if used >= most or used + ARGV[1] > most then answer[1] = 0 end
  table.insert(answer, used)
  table.insert(answer, redis.call('PTTL', key))
end
if answer[1] == 1 then
  for i, key in ipairs(KEYS) do
    redis.call('INCRBY', key, ARGV[1])
    redis.call('EXPIRE', key, ARGV[2 * i + 1])
  end
end
return answer
"""
_SETTLE = """
for i, key in ipairs(KEYS) do
  local amount = tonumber(ARGV[2 * i - 1])
  if amount > 0 or redis.call('EXISTS', key) == 1 then
    if redis.call('INCRBY', key, amount) < 0 then redis.call('SET', key, 0) end
    redis.call('EXPIRE', key, ARGV[2 * i])
  end
end
"""


@dataclass(frozen=True, slots=True)
class Full:
    """A limit without room for a call that needs `needed` tokens; it frees `frees_in` seconds from now."""

    limit: Limit
    most: int
    used: int
    needed: int
    frees_in: int


@dataclass(frozen=True, slots=True)
class _Counter:
    limit: Limit
    most: int
    key: str
    ttl: int


@dataclass(frozen=True, slots=True)
class Reserved:
    """So many tokens of a tenant, taken at a moment; not taken where the store could not be asked."""

    tenant: str
    session: str | None
    limits: LimitSettings
    tokens: int
    at: float


class Quotas:
    """`now` tells the time of day: a replica whose clock is off counts into the window beside."""

    def __init__(self, store: StateStore, session_ttl: int, now: Callable[[], float] = time.time) -> None:
        self._store = store
        self._session_ttl = session_ttl
        self._now = now

    async def reserve(
        self, tenant: str, session: str | None, limits: LimitSettings, tokens: int
    ) -> Reserved | tuple[Full, ...]:
        """Take so many tokens out of each limit, or none and say which have no room, the last to free first.

        StoreError where nobody can say. Where the store was only late, what it took is lost until the window ends.
        """
        at = self._now()
        reserved = Reserved(tenant, session, limits, tokens, at)
        counters = self._counters(reserved, at)
        if not counters:
            return reserved
        arguments = [tokens, *(value for counter in counters for value in (counter.most, counter.ttl))]
        taken, *rest = await self._script("quota_reserve", _RESERVE, counters, arguments, may_probe=False)
        if taken:
            return reserved
        found = zip(counters, rest[::2], rest[1::2], strict=True)
        full = [
            Full(counter.limit, counter.most, used, tokens, _frees_in(counter.limit, at, ttl_ms))
            for counter, used, ttl_ms in found
            if used >= counter.most or used + tokens > counter.most
        ]
        if not full:
            raise StoreError("the counters of a tenant contradict themselves")
        return tuple(sorted(full, key=lambda each: -each.frees_in))

    async def settle(self, reserved: Reserved, billed: int) -> None:
        """Make up for the difference between what was taken and what was billed; 0 gives all of it back."""
        difference = billed - reserved.tokens
        counters = self._counters(reserved, self._now() if difference > 0 else reserved.at)
        if difference and counters:
            arguments = [value for counter in counters for value in (difference, counter.ttl)]
            await self._script("quota_settle", _SETTLE, counters, arguments, may_probe=True)

    def unreserved(self, tenant: str, session: str | None, limits: LimitSettings) -> Reserved:
        """For a call that goes out though nothing could be reserved: its whole bill counts when it is known."""
        return Reserved(tenant, session, limits, 0, self._now())

    def _counters(self, reserved: Reserved, at: float) -> Sequence[_Counter]:
        """Those of the limits that are set, as they are named at a moment."""
        counters = []
        for limit, seconds in _SECONDS.items():
            most: int = getattr(reserved.limits, limit)
            if most:
                key = tenant_key(reserved.tenant, f"{limit}:{int(at // seconds)}")
                counters.append(_Counter(limit, most, key, 2 * seconds))
        most = reserved.limits.tokens_per_session
        if most and reserved.session is not None:
            key = tenant_key(reserved.tenant, f"tokens_per_session:{reserved.session}")
            counters.append(_Counter("tokens_per_session", most, key, self._session_ttl))
        return counters

    async def _script(
        self, operation: str, script: str, counters: Sequence[_Counter], arguments: Sequence[int], *, may_probe: bool
    ) -> Sequence[int]:
        keys = [counter.key for counter in counters]

        async def run(client: Any) -> Sequence[int]:
            answer: Sequence[int] | None = await client.eval(script, len(keys), *keys, *arguments)
            return answer or ()

        return await self._store.run(operation, run, may_probe=may_probe)


def _frees_in(limit: Limit, at: float, ttl_ms: int) -> int:
    """Whole seconds, not less than it takes. A session's counter leaves when it was not used for its time to live."""
    seconds = _SECONDS.get(limit)
    left = ttl_ms / 1000 if seconds is None else seconds - at % seconds
    return max(1, math.ceil(left))
