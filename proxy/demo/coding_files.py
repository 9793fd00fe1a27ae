"""The checkout that the coding session works on, with the bugs in it and the lines they cause."""

from __future__ import annotations

from proxy.demo.texts.checkout import Checkout
from proxy.demo.texts.pytest_log import Failure
from proxy.demo.texts.pytest_source import pytest_module
from proxy.demo.texts.python_source import python_module
from proxy.demo.texts.vocabulary import THINGS

# Lines that one step shows and a later answer needs, exact.
WRONG_DAYS = "AssertionError: demurrage of MSKU7301882: expected 412.50, billed 495.00 (6 days instead of 5)"
STALE_INVOICE = "quayside.errors.Conflict: invoice INV-20881 was changed by someone else at version 7"
NEGATIVE_STAY = "ERROR billing.run stay 90417 ends before it starts: 2026-03-29T02:30:00 > 2026-03-29T01:45:00 zone=Europe/Rotterdam"
LATE_LEDGER = "ERROR ledger.client booking 77-4410 not confirmed within 2.0 s, receipt unknown, attempt 1 of 3"
TYPE_ERROR = 'quayside/billing/calendar.py:31: error: Incompatible return value type (got "float", expected "int")  [return-value]'
PAID_TWICE = "AssertionError: ledger holds 2 receipts for booking 77-4410: 3f9c01d7aa, 3f9c01d7ab"

DEMURRAGE = '''"""Demurrage: what a container owes for standing in the yard beyond its free days.

The free days come from the tariff in force when the container was discharged. They end at midnight of the
terminal, whatever the zone in which the ship reported.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from quayside.billing.tariff import Tariff
from quayside.errors import Invalid
from quayside.ledger import Ledger

log = logging.getLogger(__name__)

DAY = timedelta(hours=24)


@dataclass(frozen=True)
class Stay:
    """One container between discharge and gate-out."""

    number: int
    serial: str
    discharged_at: datetime
    left_at: datetime
    zone: str


@dataclass(frozen=True)
class Bill:
    """What a stay costs, with the days it is made of."""

    stay: Stay
    days: int
    free: int
    amount: Decimal


def chargeable_days(stay: Stay, tariff: Tariff) -> int:
    """Days beyond the free ones; a day that has begun counts."""
    if stay.left_at < stay.discharged_at:
        log.error("stay %s ends before it starts: %s > %s", stay.number, stay.discharged_at, stay.left_at)
        return 0
    span = stay.left_at.astimezone(UTC) - stay.discharged_at.astimezone(UTC)
    days = -(-span // DAY) + (1 if stay.discharged_at.hour >= 12 else 0)
    return max(0, days - tariff.free_days)


def bill(stay: Stay, tariff: Tariff) -> Bill:
    """The bill of one stay under the tariff that was in force at discharge."""
    days = chargeable_days(stay, tariff)
    amount = Decimal(days) * tariff.base_rate
    return Bill(stay, days, tariff.free_days, amount.quantize(Decimal("0.01"), ROUND_HALF_UP))


def book(entry: Bill, ledger: Ledger, attempts: int = 3) -> str:
    """Book a bill and give the receipt; asks again where the ledger is late."""
    for attempt in range(1, attempts + 1):
        try:
            return ledger.book(f"{entry.stay.number}", entry.amount)
        except TimeoutError:
            log.error(
                "booking %s not confirmed within %s s, receipt unknown, attempt %s of %s",
                entry.stay.number, ledger.patience, attempt, attempts,
            )
    raise Invalid(f"stay {entry.stay.number} could not be booked in {attempts} attempts")
'''

DEMURRAGE_TESTS = '''"""What a stay costs beyond its free days."""

from datetime import datetime
from decimal import Decimal

from quayside.billing.demurrage import Bill, Stay, bill
from tests.build import a_tariff

FIVE_FREE = a_tariff(free_days=5, base_rate=Decimal("82.50"))


def stay(start: str, end: str) -> Stay:
    return Stay(90417, "MSKU7301882", datetime.fromisoformat(start), datetime.fromisoformat(end), "Europe/Amsterdam")


def assert_billed(billed: Bill, amount: Decimal) -> None:
    days = int(amount / FIVE_FREE.base_rate)
    told = f"expected {amount}, billed {billed.amount} ({billed.days} days instead of {days})"
    assert billed.amount == amount, f"demurrage of {billed.stay.serial}: {told}"


def test_a_stay_within_its_free_days_costs_nothing():
    assert_billed(bill(stay("2026-03-02T09:00", "2026-03-05T08:00"), FIVE_FREE), Decimal("0.00"))


def test_ten_days_with_five_free_ones_cost_five():
    billed = bill(stay("2026-03-24T13:00", "2026-04-02T08:00"), FIVE_FREE)
    assert_billed(billed, Decimal("412.50"))
'''

IMPORT_OLD = "from quayside.billing.tariff"
IMPORT_NEW = "from quayside.billing.calendar import calendar_days\nfrom quayside.billing.tariff"

COUNT_OLD = """    if stay.left_at < stay.discharged_at:
        log.error("stay %s ends before it starts: %s > %s", stay.number, stay.discharged_at, stay.left_at)
        return 0
    span = stay.left_at.astimezone(UTC) - stay.discharged_at.astimezone(UTC)
    days = -(-span // DAY) + (1 if stay.discharged_at.hour >= 12 else 0)
    return max(0, days - tariff.free_days)"""

COUNT_NEW = """    start, end = stay.discharged_at.astimezone(UTC), stay.left_at.astimezone(UTC)
    if end < start:
        raise Invalid(f"stay {stay.number} ends before it starts: {start} > {end}; correct the gate-out")
    return max(0, calendar_days(start, end, stay.zone) - tariff.free_days)"""

BOOK_OLD = '            return ledger.book(f"{entry.stay.number}", entry.amount)'
BOOK_NEW = '            return ledger.book(f"{entry.stay.number}", entry.amount, key=f"demurrage/{entry.stay.number}/{entry.days}")'

CALENDAR = '''"""Days as a terminal counts them: by its own calendar, not in spans of 24 hours.

A container that comes at 23:50 and leaves at 00:10 has stood there on two days. The night in which the
clocks change has 23 or 25 hours and is one day all the same.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from quayside.errors import Invalid


@cache
def zone(name: str) -> ZoneInfo:
    """The zone of a terminal; Invalid where nobody knows it."""
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        raise Invalid(f"zone {name!r} of the terminal is unknown; use a name of the IANA data base") from None


def calendar_days(start: datetime, end: datetime, zone_name: str) -> int:
    """Days of the terminal that the stay touches, the first and the last included."""
    if start.tzinfo is None or end.tzinfo is None:
        raise Invalid(f"{start} or {end} carries no zone; stays are stored in UTC")
    local = zone(zone_name)
    first, last = start.astimezone(local).date(), end.astimezone(local).date()
    return (last - first) / timedelta(days=1) + 1


def free_until(start: datetime, free_days: int, zone_name: str) -> datetime:
    """The midnight of the terminal at which the free days are over."""
    local = zone(zone_name)
    day = start.astimezone(local).date() + timedelta(days=free_days)
    return datetime(day.year, day.month, day.day, tzinfo=local)
'''
DAYS_OLD = "    return (last - first) / timedelta(days=1) + 1"
DAYS_NEW = "    return (last - first).days + 1"

CLOCK_TESTS = '''"""Demurrage around the nights in which the clocks change, and at the borders of the free days."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from quayside.billing.calendar import calendar_days, free_until
from quayside.billing.demurrage import Stay, bill, book
from quayside.errors import Invalid
from tests.build import a_tariff, slow_ledger

FIVE_FREE = a_tariff(free_days=5, base_rate=Decimal("82.50"))


def stay(start: str, end: str, zone: str = "Europe/Amsterdam") -> Stay:
    return Stay(90417, "MSKU7301882", datetime.fromisoformat(start), datetime.fromisoformat(end), zone)


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        ("2026-03-28T22:59:00+00:00", "2026-03-28T23:01:00+00:00", 2),
        ("2026-03-29T00:10:00+00:00", "2026-03-29T01:10:00+00:00", 1),
        ("2026-03-28T12:00:00+00:00", "2026-03-30T12:00:00+00:00", 3),
        ("2026-10-24T12:00:00+00:00", "2026-10-26T12:00:00+00:00", 3),
        ("2026-10-25T00:30:00+00:00", "2026-10-25T01:30:00+00:00", 1),
        ("2026-12-31T22:30:00+00:00", "2026-12-31T23:30:00+00:00", 2),
    ],
)
def test_days_are_those_of_the_terminal(start, end, days):
    assert calendar_days(datetime.fromisoformat(start), datetime.fromisoformat(end), "Europe/Amsterdam") == days


def test_ten_days_with_five_free_ones_cost_five():
    billed = bill(stay("2026-03-24T13:00:00+00:00", "2026-04-02T08:00:00+00:00"), FIVE_FREE)
    assert (billed.days, billed.amount) == (5, Decimal("412.50"))


def test_the_last_free_minute_is_free():
    end = free_until(datetime(2026, 3, 26, 9, tzinfo=UTC), 5, "Europe/Amsterdam")
    assert end.isoformat() == "2026-03-31T00:00:00+02:00"


def test_a_stay_that_ends_before_it_starts_is_refused_by_number():
    with pytest.raises(Invalid, match="stay 90417 ends before it starts"):
        bill(stay("2026-03-29T02:30:00+00:00", "2026-03-29T01:45:00+00:00"), FIVE_FREE)


def test_an_unknown_zone_is_named():
    with pytest.raises(Invalid, match="zone 'Europe/Rotterdam' of the terminal is unknown"):
        bill(stay("2026-03-24T13:00:00+00:00", "2026-03-25T13:00:00+00:00", "Europe/Rotterdam"), FIVE_FREE)


def test_a_late_ledger_is_asked_again_and_paid_once():
    ledger = slow_ledger(late_answers=1)
    book(bill(stay("2026-03-24T13:00:00+00:00", "2026-04-02T08:00:00+00:00"), FIVE_FREE), ledger)
    assert len(ledger.receipts) == 1
'''

_SHAPES = (
    ("record", "wire", "transitions", "store", "pricing", "handler"),
    ("record", "store", "wire", "worker", "report", "import"),
    ("record", "transitions", "pricing", "store", "worker", "wire", "handler"),
    ("record", "wire", "import", "report", "store", "transitions"),
)

WRONG_DAYS_TEST = Failure(
    "tests/billing/test_demurrage.py::test_ten_days_with_five_free_ones_cost_five",
    'def test_ten_days_with_five_free_ones_cost_five():\n    billed = bill(stay("2026-03-24T13:00", "2026-04-02T08:00"), FIVE_FREE)\n'
    ">   assert_billed(billed, Decimal(\"412.50\"))\n\nbilled = Bill(stay=Stay(number=90417, serial='MSKU7301882'), days=6, free=5)",
    (
        WRONG_DAYS,
        "assert Decimal('495.00') == Decimal('412.50')",
        " +  where Decimal('495.00') = Bill(days=6, free=5).amount",
    ),
    "tests/billing/test_demurrage.py:28",
)
STALE_TEST = Failure(
    "tests/billing/test_invoice.py::test_settle_is_idempotent_after_a_retry[gdansk-7]",
    'def test_settle_is_idempotent_after_a_retry(store, place, day):\n    item = store.by_reference("INV-20881")\n'
    "    store.save(item, item.version)\n>   store.save(item, item.version)\n\nquayside/billing/invoice.py:118: in save\n    raise Conflict(...)",
    (STALE_INVOICE,),
    "quayside/billing/invoice.py:118",
)
PAID_TWICE_TEST = Failure(
    "tests/billing/test_clock_change.py::test_a_late_ledger_is_asked_again_and_paid_once",
    'def test_a_late_ledger_is_asked_again_and_paid_once():\n    ledger = slow_ledger(late_answers=1)\n    book(bill(...), ledger)\n'
    ">   assert_paid_once(ledger)\n\nledger = <SlowLedger answers=2 receipts=2>",
    (PAID_TWICE, "assert 2 == 1", " +  where 2 = len(['3f9c01d7aa', '3f9c01d7ab'])"),
    "tests/billing/test_clock_change.py:61",
)  # fmt: skip


_FOLDERS = {"tariff": "billing", "invoice": "billing", "agent": "billing", "berth": "berths", "vessel": "berths"}


def path_of(thing: str) -> str:
    """Where the module about `thing` stands."""
    return f"quayside/{_FOLDERS.get(thing, 'yard')}/{thing}.py"


def tests_path(thing: str) -> str:
    """Where its tests stand."""
    return f"tests/{_FOLDERS.get(thing, 'yard')}/test_{thing}.py"


def checkout() -> Checkout:
    """The project as the agent finds it."""
    files = {path_of(name): python_module(name, _SHAPES[i % len(_SHAPES)]) for i, name in enumerate(THINGS)}
    files |= {tests_path(name): pytest_module(name) for name in THINGS}
    files["quayside/billing/demurrage.py"] = DEMURRAGE
    files["tests/billing/test_demurrage.py"] = DEMURRAGE_TESTS
    return Checkout(files)
