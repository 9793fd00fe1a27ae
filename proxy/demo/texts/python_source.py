"""Python modules of the invented project, put together from the shapes its authors would use."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from string import Template

from proxy.demo.texts.vocabulary import THINGS, Thing, words

_TYPES = {"text": "str", "number": "int", "money": "Decimal", "time": "datetime", "flag": "bool"}

_HEADER = '''"""$Thing: how Quayside keeps, checks and ${action}s its $things.

Since $ticket the figures are agreed with $where; ask there before a constant changes.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from quayside.errors import Conflict, Invalid, NotFound
from quayside.storage import Connection, Row

log = logging.getLogger(__name__)
'''

_TRANSITIONS = '''
MOVES = {
    "$first": {"$second", "$fourth"},
    "$second": {"$first", "$third"},
    "$third": {"$fourth"},
    "$fourth": set(),
}


def move(item: $Thing, state: str, now: datetime) -> $Thing:
    """The $thing in its new state; Conflict where the rules of $whom forbid the step."""
    if state not in MOVES[item.state]:
        raise Conflict(f"$thing {item.$text} is {item.state} and cannot become {state}")
    if state == "$third" and item.$time > now + timedelta(hours=$small):
        raise Conflict(f"$thing {item.$text} is not due before {item.$time:%Y-%m-%d %H:%M}")
    log.info("$thing moved", extra={"$text": item.$text, "from": item.state, "to": state})
    return replace(item, state=state, changed_at=now)
'''

_STORE = '''
class ${Thing}Store:
    """Rows of `$things`, one transaction per call."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def by_$text(self, $text: str) -> $Thing:
        row = self._connection.one("select * from $things where $text = %s", [$text])
        if row is None:
            raise NotFound(f"no $thing with $text {$text!r}")
        return from_row(row)

    def waiting(self, before: datetime, limit: int = $medium) -> list[$Thing]:
        rows = self._connection.all(
            "select * from $things where state in ('$first', '$second') and $time < %s"
            " order by $time, $text limit %s",
            [before, limit],
        )
        return [from_row(row) for row in rows]

    def save(self, item: $Thing, version: int) -> int:
        changed = self._connection.run(
            "update $things set state = %s, $number = %s, $money = %s, version = version + 1"
            " where $text = %s and version = %s",
            [item.state, item.$number, item.$money, item.$text, version],
        )
        if changed != 1:
            raise Conflict(f"$thing {item.$text} was changed by someone else at version {version}")
        return version + 1
'''

_PRICING = '''
BANDS = (
    (0, Decimal("0.00")),
    ($small, Decimal("$rate")),
    ($medium, Decimal("$rate") * 2),
)
MINIMUM_${THING} = Decimal("$medium.50")


def charge(item: $Thing, units: int, weekend: bool = False) -> Decimal:
    """What $whom pays for `units` of $number; never less than the minimum once a band applies."""
    if units < 0:
        raise Invalid(f"$number of $thing {item.$text} is {units}; it cannot be negative")
    amount = Decimal(0)
    for (start, rate), following in zip(BANDS, [*BANDS[1:], None], strict=True):
        stop = units if following is None else min(units, following[0])
        amount += max(0, stop - start) * rate
    if weekend and not item.$flag:
        amount *= Decimal("1.25")
    if amount and amount < MINIMUM_${THING}:
        amount = MINIMUM_${THING}
    return (amount + item.$money).quantize(Decimal("0.01"), ROUND_HALF_UP)
'''

_IMPORT = '''
def read_lines(lines: list[str], source: str) -> tuple[list[$Thing], list[str]]:
    """The $things of a semicolon file as $where exports it, and one complaint per line left out."""
    good: list[$Thing] = []
    complaints: list[str] = []
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line.split(";")]
        if not line.strip() or line.startswith("#"):
            continue
        if len(cells) < $small:
            complaints.append(f"{source}:{number}: {len(cells)} cells, expected $small")
            continue
        try:
            good.append(from_cells(cells))
        except (ValueError, ArithmeticError) as error:
            complaints.append(f"{source}:{number}: {error}")
    if complaints:
        log.warning("%s of %s lines of %s left out", len(complaints), len(lines), source)
    return good, complaints
'''

_WORKER = '''
class ${Thing}Worker:
    """Takes $things that wait and ${action}s them; a lost claim is somebody else's success."""

    batch = $medium
    pause = timedelta(seconds=$small)

    def __init__(self, store: ${Thing}Store, ${partner}s: ${Partner}Lookup, clock: Clock) -> None:
        self._store = store
        self._${partner}s = ${partner}s
        self._clock = clock
        self.failures: dict[str, int] = {}

    def run_once(self) -> int:
        done = 0
        for item in self._store.waiting(self._clock.now(), self.batch):
            try:
                done += self._${action}_one(item)
            except Conflict:
                log.debug("$thing %s was claimed elsewhere", item.$text)
            except Invalid as error:
                self.failures[item.$text] = self.failures.get(item.$text, 0) + 1
                log.error("$thing %s cannot be handled: %s", item.$text, error)
        return done

    def _${action}_one(self, item: $Thing) -> int:
        $partner = self._${partner}s.get(item.${partner}_id)
        if $partner.state == "closed" or self.failures.get(item.$text, 0) >= $small:
            return 0
        moved = move(item, "$second", self._clock.now())
        self._store.save(moved, item.version)
        return 1
'''

_REPORT = '''
def by_${partner}(items: list[$Thing]) -> dict[str, Decimal]:
    """$money summed per $partner, largest first, for the monthly sheet that $where reads."""
    totals: dict[str, Decimal] = {}
    for item in items:
        if item.state != "$fourth":
            continue
        totals[item.${partner}_id] = totals.get(item.${partner}_id, Decimal(0)) + item.$money
    return dict(sorted(totals.items(), key=lambda pair: (-pair[1], pair[0])))


def overdue(items: list[$Thing], now: datetime) -> list[str]:
    """Lines for the overdue mail; $things in state $third are $whom's business and left out."""
    lines = []
    for item in sorted(items, key=lambda each: each.$time):
        days = (now - item.$time).days
        if days > $small and item.state not in ("$third", "$fourth"):
            lines.append(f"{item.$text:<14} {item.state:<12} {days:>4} days {item.$money:>12}")
    return lines
'''

_HANDLER = '''
async def ${action}_$thing(request: Request) -> Response:
    """POST /$things/{$text}/$action: asked for by the kiosk of $whom."""
    body = await request.json()
    store = ${Thing}Store(request.connection)
    item = store.by_$text(request.path["$text"])
    wanted = body.get("$number")
    if not isinstance(wanted, int) or not 0 <= wanted <= $large:
        raise Invalid(f"$number must be a whole number up to $large, not {wanted!r}")
    if item.$flag and request.user.role != "supervisor":
        return Response(403, {"error": "a supervisor must ${action} this $thing", "$text": item.$text})
    moved = move(replace(item, $number=wanted), "$second", request.now)
    version = store.save(moved, item.version)
    request.audit("$thing.$action", item.$text, before=item.state, after=moved.state)
    return Response(200, to_wire(moved), headers={"etag": f'"{version}"'})
'''


def _record(thing: Thing, rng: random.Random) -> str:
    key = thing.first("text")
    fields = [f"    {name}: {_TYPES[kind]}" for name, kind in thing.fields]
    checks = [
        f"        if self.{name} < 0:\n"
        f'            raise Invalid(f"{name} of {thing.name} {{self.{key}}} is {{self.{name}}}; at least 0")'
        for name, kind in thing.fields
        if kind in ("number", "money")
    ]
    head = f'\n\n@dataclass(frozen=True)\nclass {thing.title}:\n    """One row of `{thing.plural}`."""\n'
    tail = [f"    {thing.partner}_id: str", f'    state: str = "{thing.states[0]}"', "    version: int = 0"]
    body = [*fields, *tail, "    changed_at: datetime | None = None", "", "    def __post_init__(self) -> None:"]
    rng.shuffle(checks)
    return "\n".join([head, *body, *checks]) + "\n"


def _wire(thing: Thing, rng: random.Random) -> str:
    casts = {"text": "{0}", "number": "{0}", "money": "str({0})", "time": "{0}.isoformat()", "flag": "{0}"}
    reads = {
        "text": "row[{0}]",
        "number": "int(row[{0}])",
        "money": "Decimal(row[{0}])",
        "time": "row[{0}].replace(tzinfo=UTC)",
        "flag": "bool(row[{0}])",
    }
    out = [f'        "{name}": {casts[kind].format(f"item.{name}")},' for name, kind in thing.fields]
    back = [f"        {name}={reads[kind].format(repr(name))}," for name, kind in thing.fields]
    rng.shuffle(out)
    return "\n".join(
        [
            f"\n\ndef to_wire(item: {thing.title}) -> dict[str, object]:",
            f'    """The JSON that {rng.choice(("the kiosk", "the ledger", "the planner"))} gets; money as text."""',
            "    return {", *out, '        "state": item.state,', "    }",
            f"\n\ndef from_row(row: Row) -> {thing.title}:",
            f"    return {thing.title}(", *back, f'        {thing.partner}_id=row["{thing.partner}_id"],',
            '        state=row["state"],', '        version=row["version"],', "    )\n",
        ]
    )  # fmt: skip


def _shape(template: str) -> Callable[[Thing, random.Random], str]:
    return lambda thing, rng: "\n" + Template(template).substitute(words(thing, rng))


SHAPES: Mapping[str, Callable[[Thing, random.Random], str]] = {
    "record": _record,
    "wire": _wire,
    "transitions": _shape(_TRANSITIONS),
    "store": _shape(_STORE),
    "pricing": _shape(_PRICING),
    "import": _shape(_IMPORT),
    "worker": _shape(_WORKER),
    "report": _shape(_REPORT),
    "handler": _shape(_HANDLER),
}


def python_module(thing: str, shapes: Sequence[str]) -> str:
    """A module about `thing` with the named shapes, in this order."""
    rng = random.Random(f"python {thing} {' '.join(shapes)}")
    held = THINGS[thing]
    header = Template(_HEADER).substitute(words(held, rng))
    return header + "".join(SHAPES[shape](held, rng) for shape in shapes)
