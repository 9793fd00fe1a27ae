"""What the services of the invented project log, and what its data base prints."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from proxy.demo.texts.vocabulary import THINGS, Thing

_START = datetime(2026, 3, 29, 0, 12, 7, tzinfo=UTC)
_WORDS = ("north", "delta", "maas", "havn", "quay", "levante", "baltic", "orient", "polder", "skagen")


def identifier(thing: Thing, rng: random.Random) -> str:
    """A key as this kind of thing carries it."""
    return f"{thing.name[:3].upper()}-{rng.randint(10000, 99999)}"


def service_log(seed: str, lines: int, planted: Mapping[int, str] | None = None) -> str:
    """`lines` lines of a quarter of an hour; `planted` lines stand at the given places, word for word."""
    rng = random.Random(f"log {seed}")
    planted = planted or {}
    now = _START
    out = []
    for number in range(lines):
        now += timedelta(milliseconds=rng.randint(3, 2400))
        out.append(f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03}Z {planted.get(number) or _line(rng)}")
    return "\n".join(out) + "\n"


def _line(rng: random.Random) -> str:
    thing = rng.choice(list(THINGS.values()))
    return rng.choice(_KINDS)(thing, identifier(thing, rng), rng)


def _moved(thing: Thing, key: str, rng: random.Random) -> str:
    before, after = rng.sample(thing.states, 2)
    return f"INFO  {thing.name}.worker moved key={key} from={before} to={after} took_ms={rng.randint(2, 90)}"


def _asked(thing: Thing, key: str, rng: random.Random) -> str:
    agent = f"{rng.choice(_WORDS)}-{rng.randint(2, 40)}"
    took = rng.randint(3, 160)
    return f"INFO  http.access POST /{thing.plural}/{key}/{thing.action} 200 {took}ms agent={agent}"


def _queried(thing: Thing, key: str, rng: random.Random) -> str:
    pool = f"lent={rng.randint(1, 20)} idle={rng.randint(0, 12)} waiting=0"
    return f"DEBUG storage.pool {pool} query={thing.plural}.by_{thing.first('text')} arg={key}"


def _booked(thing: Thing, key: str, rng: random.Random) -> str:
    amount = f"{rng.randint(20, 9000)}.{rng.randint(0, 99):02}"
    return f"INFO  ledger.client booked key={key} {thing.first('money')}={amount} receipt={rng.getrandbits(40):010x}"


def _left_out(thing: Thing, key: str, rng: random.Random) -> str:
    place = f"line={rng.randint(4, 900)} source=export-{rng.choice(_WORDS)}.csv"
    return f"WARN  {thing.name}.import {place} key={key} left out: {rng.randint(3, 8)} cells"


def _audited(thing: Thing, key: str, rng: random.Random) -> str:
    figure = f"{thing.first('number')}={rng.randint(0, 400)}"
    return f"INFO  audit {thing.name}.{thing.action} key={key} by={rng.choice(_WORDS)} {figure}"


_KINDS = (_moved, _asked, _queried, _booked, _left_out, _audited)


def table(thing_name: str, rows: int) -> str:
    """A query's answer as psql prints it."""
    thing = THINGS[thing_name]
    rng = random.Random(f"table {thing_name} {rows}")
    columns = [name for name, _ in thing.fields[:6]] + ["state", "version"]
    cells = [_row(thing, rng) for _ in range(rows)]
    widths = [max(len(name), *(len(row[i]) for row in cells)) for i, name in enumerate(columns)]
    head = " " + " | ".join(name.ljust(width) for name, width in zip(columns, widths, strict=True))
    rule = "-" + "-+-".join("-" * width for width in widths) + "-"
    body = (" " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in cells)
    return "\n".join([head, rule, *body, f"({rows} rows)"]) + "\n"


def records(thing_name: str, count: int) -> str:
    """The same kind of rows as the HTTP interface answers them: one JSON array, indented."""
    thing = THINGS[thing_name]
    rng = random.Random(f"records {thing_name} {count}")
    columns = [name for name, _ in thing.fields[:6]] + ["state", "version"]
    return json.dumps([dict(zip(columns, _row(thing, rng), strict=True)) for _ in range(count)], indent=2)


def _row(thing: Thing, rng: random.Random) -> list[str]:
    values = {
        "text": lambda: rng.choice((identifier(thing, rng), f"{rng.choice(_WORDS)}-{rng.randint(2, 99)}")),
        "number": lambda: str(rng.randint(0, 900)),
        "money": lambda: f"{rng.randint(0, 4000)}.{rng.randint(0, 99):02}",
        "time": lambda: f"{_START + timedelta(minutes=rng.randint(0, 9000)):%Y-%m-%d %H:%M}+00",
        "flag": lambda: rng.choice("tf"),
    }
    return [*(values[kind]() for _, kind in thing.fields[:6]), rng.choice(thing.states), str(rng.randint(0, 14))]
