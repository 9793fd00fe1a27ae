"""Where a session began: recorded once, found again by everyone, and guessed where nobody knows."""

from __future__ import annotations

import pytest

from proxy.beginnings import MOST_LOOKED_AT, REFRESH_SECONDS, Beginnings, keys_of
from tests.build import conversation, says, user
from tests.isolation.beginning import FakeRecords

NAMES = ["first", "second", "third"]


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


class Office:
    """Workers that share a store; `lost` counts what they could not ask or tell."""

    def __init__(self) -> None:
        self.records, self.clock = FakeRecords(), Clock()
        self.lost = 0

    def worker(self) -> Beginnings:
        return Beginnings(self.records, self._lose, self.clock)

    def _lose(self) -> None:
        self.lost += 1


@pytest.fixture
def office() -> Office:
    return Office()


async def test_where_nothing_is_recorded_the_last_is_the_task_from_then_on(office: Office) -> None:
    worker = office.worker()
    assert await worker.settle("t", NAMES[:2]) == 1
    assert await worker.settle("t", NAMES) == 1


async def test_another_worker_finds_it_in_the_store(office: Office) -> None:
    await office.worker().settle("t", NAMES[:1])
    assert await office.worker().settle("t", NAMES) == 0


async def test_another_tenant_does_not(office: Office) -> None:
    await office.worker().settle("t", NAMES[:1])
    assert await office.worker().settle("other", NAMES) == 2


async def test_foreseeing_records_nothing(office: Office) -> None:
    assert await office.worker().find("t", NAMES) is None
    assert office.records.kept == {}


async def test_what_is_known_costs_the_store_nothing(office: Office) -> None:
    worker = office.worker()
    await worker.settle("t", NAMES[:1])
    reads = office.records.reads
    assert await worker.settle("t", NAMES) == 0
    assert office.records.reads == reads


async def test_use_renews_the_record_and_puts_it_back_where_it_was_lost(office: Office) -> None:
    worker = office.worker()
    await worker.settle("t", NAMES[:1])
    kept = dict(office.records.kept)
    office.records.kept.clear()
    office.clock.time += REFRESH_SECONDS
    assert await worker.settle("t", NAMES) == 0
    assert office.records.kept == kept


async def test_with_the_store_down_this_process_remembers(office: Office) -> None:
    office.records.down = True
    worker = office.worker()
    assert await worker.settle("t", NAMES[:1]) == 0
    assert await worker.settle("t", NAMES) == 0
    assert office.lost > 0


async def test_what_was_decided_while_the_store_was_down_is_recorded_later(office: Office) -> None:
    office.records.down = True
    worker = office.worker()
    await worker.settle("t", NAMES[:1])
    office.records.down = False
    await worker.settle("t", NAMES)
    assert await office.worker().find("t", NAMES) == 0


async def test_the_stores_word_counts_before_what_was_guessed_without_it(office: Office) -> None:
    await office.worker().settle("t", NAMES[:1])
    late = office.worker()
    office.records.down = True
    assert await late.settle("t", NAMES) == 2
    office.records.down = False
    assert await late.settle("t", NAMES) == 0


@pytest.mark.parametrize("noise", [b"", b"\xff", b"[" * 10_000, b'{"tenant": "other", "key": "first"}'])
async def test_noise_in_the_store_is_no_record_and_told(office: Office, noise: bytes) -> None:
    await office.worker().settle("t", NAMES[:1])
    office.records.kept = dict.fromkeys(office.records.kept, noise)
    assert await office.worker().find("t", NAMES) is None
    assert office.lost == 1


async def test_only_so_many_messages_are_looked_up(office: Office) -> None:
    names = [str(number) for number in range(MOST_LOOKED_AT + 500)]
    assert await office.worker().find("t", names) is None
    assert office.records.reads == MOST_LOOKED_AT


def test_a_name_tells_sessions_parents_histories_places_and_words_apart() -> None:
    messages = conversation(user("go"), says("yes"), user("task"), user("task"), user("other")).messages
    others = conversation(user("begin"), says("yes"), user("task")).messages
    names = [
        *keys_of("s", None, messages, [2, 3, 4]),
        *keys_of("s", "p", messages, [2]),
        *keys_of("z", None, messages, [2]),
        *keys_of("s", None, others, [2]),
    ]
    assert len(set(names)) == len(names)


def test_a_name_does_not_change_while_the_history_grows() -> None:
    said = (user("go"), says("yes"), user("task"))
    first = keys_of("s", None, conversation(*said).messages, [2])
    assert keys_of("s", None, conversation(*said, says("on it"), user("sure?")).messages, [2]) == first
