"""Strangers and known clients: what waits, what is written, what is forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from proxy import proven
from proxy.proven import PROVEN_SECONDS, Proven, ProvenRecords

STRANGER, TEAM = "passthrough-abc", "team-a"


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


class Kept:
    def __init__(self) -> None:
        self.values: dict[tuple[str, str], bytes] = {}

    async def put(self, tenant: str, name: str, value: bytes) -> None:
        self.values[tenant, name] = value

    async def get(self, tenant: str, names: Sequence[str]) -> list[bytes | None]:
        return [self.values.get((tenant, name)) for name in names]


def test_a_configured_tenant_needs_no_proof():
    judge = Proven()
    assert judge.holds(TEAM)
    assert not judge.judged(TEAM, 200)


def test_a_stranger_is_proven_by_a_success_once():
    judge = Proven()
    assert not judge.holds(STRANGER)
    assert [judge.judged(STRANGER, status) for status in (401, 500, 200, 200)] == [False, False, True, False]
    assert judge.holds(STRANGER)


def test_a_proof_lasts_for_a_while_after_the_latest_success():
    clock = Clock()
    judge = Proven(clock)
    judge.judged(STRANGER, 200)
    clock.time += PROVEN_SECONDS - 1
    judge.judged(STRANGER, 200)
    clock.time += PROVEN_SECONDS - 1
    assert judge.holds(STRANGER)
    clock.time += 1
    assert not judge.holds(STRANGER)


def test_a_refused_key_is_a_strangers_again_and_an_error_is_no_refusal():
    judge = Proven()
    judge.judged(STRANGER, 200)
    judge.judged(STRANGER, 500)
    assert judge.holds(STRANGER)
    judge.judged(STRANGER, 401)
    assert not judge.holds(STRANGER)


async def test_a_strangers_records_wait_and_can_be_read():
    kept, judge = Kept(), Proven()
    records = ProvenRecords(kept, judge)
    await records.put(STRANGER, "a", b"1")
    assert await records.get(STRANGER, ["a", "b"]) == [b"1", None]
    assert kept.values == {}
    judge.judged(STRANGER, 200)
    await records.written(STRANGER)
    assert kept.values == {(STRANGER, "a"): b"1"}
    await records.put(STRANGER, "b", b"2")
    assert await records.get(STRANGER, ["a", "b"]) == [b"1", b"2"]


async def test_a_strangers_records_are_not_asked_of_the_store():
    kept = Kept()
    kept.values[STRANGER, "a"] = b"1"
    assert await ProvenRecords(kept, Proven()).get(STRANGER, ["a"]) == [None]


async def test_what_waits_is_bounded_and_the_oldest_strangers_go(monkeypatch):
    monkeypatch.setattr(proven, "_WAITING_BYTES", 10)
    records = ProvenRecords(Kept(), Proven())
    for name in ("passthrough-a", "passthrough-b"):
        await records.put(name, "x", b"123456")
    assert await records.get("passthrough-a", ["x"]) == [None]
    assert await records.get("passthrough-b", ["x"]) == [b"123456"]
    await records.put("passthrough-b", "x", b"1234567890")
    assert await records.get("passthrough-b", ["x"]) == [b"1234567890"]
