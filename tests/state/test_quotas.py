"""Token limits: what is taken, what is refused and until when, what is given back; under a clock driven by hand."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxy.errors import StoreError
from proxy.settings import LimitSettings
from proxy.state.keys import tenant_key
from proxy.state.quotas import Full, Quotas, Reserved
from proxy.state.redis import StateStore

MIDNIGHT = 1_800_057_600.0
"""A day of the clock begins, and so does a minute."""
SESSION_TTL = 3_600


class Clock:
    def __init__(self, time: float) -> None:
        self.time = time

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock(MIDNIGHT + 15)


@pytest.fixture
def quotas(store: StateStore, clock: Clock) -> Quotas:
    return Quotas(store, SESSION_TTL, now=clock)


def limits(**most: int) -> LimitSettings:
    return LimitSettings(**{f"tokens_per_{name}": tokens for name, tokens in most.items()})  # type: ignore[arg-type]


async def taken(quotas: Quotas, tokens: int, session: str | None = "s", tenant: str = "t", **most: int) -> Reserved:
    found = await quotas.reserve(tenant, session, limits(**most), tokens)
    assert isinstance(found, Reserved)
    return found


async def full(quotas: Quotas, tokens: int, session: str | None = "s", **most: int) -> tuple[Full, ...]:
    found = await quotas.reserve("t", session, limits(**most), tokens)
    assert not isinstance(found, Reserved)
    return found


async def test_a_limit_can_be_used_up_to_the_last_token(quotas: Quotas):
    await taken(quotas, 600, minute=1_000)
    await taken(quotas, 400, minute=1_000)
    assert await full(quotas, 1, minute=1_000) == (Full("tokens_per_minute", 1_000, 1_000, 1, 45),)


async def test_what_is_refused_takes_nothing(quotas: Quotas):
    await taken(quotas, 600, minute=1_000)
    await full(quotas, 401, minute=1_000)
    await taken(quotas, 400, minute=1_000)


@pytest.mark.parametrize(("name", "frees_in"), [("minute", 45), ("day", 86_385)])
async def test_a_window_frees_at_its_end_and_not_before(quotas: Quotas, clock: Clock, name: str, frees_in: int):
    await taken(quotas, 1_000, **{name: 1_000})
    (told,) = await full(quotas, 1, **{name: 1_000})
    assert told.frees_in == frees_in
    clock.time += frees_in - 1
    assert (await full(quotas, 1, **{name: 1_000}))[0].frees_in == 1
    clock.time += 1
    await taken(quotas, 1_000, **{name: 1_000})


async def test_a_fraction_of_a_second_is_rounded_up(quotas: Quotas, clock: Clock):
    await taken(quotas, 1, minute=1)
    clock.time += 44.6
    assert (await full(quotas, 1, minute=1))[0].frees_in == 1


async def test_of_several_full_limits_the_last_to_free_comes_first(quotas: Quotas):
    await taken(quotas, 10, minute=10, day=10)
    told = await full(quotas, 5, minute=10, day=10)
    assert [each.limit for each in told] == ["tokens_per_day", "tokens_per_minute"]


async def test_a_full_limit_takes_nothing_from_the_others(quotas: Quotas):
    await taken(quotas, 10, minute=10)
    await full(quotas, 5, minute=10, day=10)
    await taken(quotas, 10, day=10)


async def test_sessions_of_a_tenant_are_counted_apart_and_tenants_too(quotas: Quotas):
    most = LimitSettings(tokens_per_session=10)
    for tenant, session in (("t", "a"), ("t", "b"), ("u", "a")):
        assert isinstance(await quotas.reserve(tenant, session, most, 10), Reserved)
    found = await quotas.reserve("t", "a", most, 1)
    assert found == (Full("tokens_per_session", 10, 10, 1, SESSION_TTL),)


async def test_a_session_limit_does_not_touch_what_has_no_session(quotas: Quotas):
    assert isinstance(await quotas.reserve("t", None, LimitSettings(tokens_per_session=1), 10), Reserved)


async def test_a_call_that_failed_gives_back_all_that_it_took(quotas: Quotas):
    reserved = await taken(quotas, 1_000, minute=1_000, day=1_000)
    await quotas.settle(reserved, 0)
    await taken(quotas, 1_000, minute=1_000, day=1_000)


async def test_a_bill_below_the_reservation_gives_back_the_rest(quotas: Quotas):
    await quotas.settle(await taken(quotas, 1_000, minute=1_000), 300)
    assert (await full(quotas, 701, minute=1_000))[0].used == 300
    await taken(quotas, 700, minute=1_000)


async def test_a_bill_above_the_reservation_counts_too(quotas: Quotas):
    await quotas.settle(await taken(quotas, 100, minute=1_000), 1_500)
    assert (await full(quotas, 1, minute=1_000))[0].used == 1_500


async def test_what_is_billed_beyond_counts_in_the_minute_in_which_it_is_known(quotas: Quotas, clock: Clock):
    reserved = await taken(quotas, 100, minute=1_000)
    clock.time += 60
    await quotas.settle(reserved, 1_100)
    assert (await full(quotas, 1, minute=1_000))[0].used == 1_000


async def test_what_is_given_back_late_does_not_widen_a_later_minute(quotas: Quotas, clock: Clock):
    reserved = await taken(quotas, 1_000, minute=1_000)
    clock.time += 60
    await taken(quotas, 1_000, minute=1_000)
    await quotas.settle(reserved, 0)
    assert (await full(quotas, 1, minute=1_000))[0].used == 1_000


async def test_nothing_is_given_back_to_a_store_that_forgot_it(quotas: Quotas, store: StateStore):
    reserved = await taken(quotas, 1_000, minute=1_000)
    await store.run("flush", lambda client: client.flushall())
    await quotas.settle(reserved, 0)
    await taken(quotas, 1_000, minute=1_000)
    assert (await full(quotas, 1, minute=1_000))[0].used == 1_000


async def test_calls_at_once_do_not_take_more_than_there_is(quotas: Quotas):
    found = await asyncio.gather(*(quotas.reserve("t", "s", limits(minute=1_000), 90) for _ in range(60)))
    assert sum(isinstance(each, Reserved) for each in found) == 11


async def test_every_counter_expires(quotas: Quotas, store: StateStore):
    every = LimitSettings(tokens_per_minute=9, tokens_per_day=9, tokens_per_session=9)
    reserved = await quotas.reserve("t", "s", every, 1)
    assert isinstance(reserved, Reserved)
    await quotas.settle(reserved, 3)

    minute, day = (
        f"tokens_per_{name}:{int(MIDNIGHT // seconds)}" for name, seconds in (("minute", 60), ("day", 86_400))
    )
    names = [tenant_key("t", name) for name in (minute, "tokens_per_session:s", day)]

    async def times(client: Any) -> list[int]:
        return [await client.ttl(name) for name in names]

    assert await store.run("ttl", times) == [pytest.approx(120, abs=20), SESSION_TTL, pytest.approx(172_800, abs=20)]


async def test_a_call_that_could_not_reserve_counts_with_its_whole_bill(quotas: Quotas):
    await quotas.settle(quotas.unreserved("t", "s", limits(minute=100)), 100)
    assert (await full(quotas, 1, minute=100))[0].used == 100


async def test_a_counter_that_holds_noise_is_an_error_of_the_store(quotas: Quotas, store: StateStore, clock: Clock):
    key = tenant_key("t", f"tokens_per_minute:{int(clock.time // 60)}")
    await store.run("set", lambda client: client.set(key, "noise"))
    with pytest.raises(StoreError):
        await quotas.reserve("t", "s", limits(minute=10), 1)
    assert store.available


async def test_without_a_token_limit_the_store_is_not_asked(clock: Clock):
    store = StateStore("redis://127.0.0.1:1")
    quotas = Quotas(store, SESSION_TTL, now=clock)
    await quotas.settle(await taken(quotas, 10), 20)
    assert store.available
    await store.close()
