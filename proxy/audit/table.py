"""The audit of one file, for people: what it is made of, what it costs, what could go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from policies.audit import Audit, Row
from proxy.audit.audited import Audited, Terms
from proxy.audit.columns import (
    cells,
    dollars,
    dollars_a_call,
    finding_lines,
    kinds_line,
    method_lines,
    model_line,
    percent,
    too_short,
)

_MOST_ROWS = 24
_SMALL = 0.01


def report(audited: Audited, terms: Terms) -> str:
    """The whole report."""
    audit = audited.audit
    lines = [audited.name, model_line(terms), *(f"note: {note}" for note in audited.notes), ""]
    lines += [*_parts(audit, terms), "", *cost_lines(audit.tokens, terms), *_findings(audit)]
    return "\n".join(lines) + "\n"


def cost_lines(tokens: int, terms: Terms) -> Iterator[str]:
    """Cost of the fixed part, a call and a day; nothing where no price is known."""
    cost = terms.cost(tokens)
    if cost is None:
        return
    yield cells(f"cost, {cost.calls_per_day:,} calls a day", "a call", "a day", width=14)
    yield cells("  uncached", dollars_a_call(cost.uncached), dollars(cost.uncached_day), width=14)
    if cost.cached_day is not None:
        yield cells("  cached: the first call, which writes the cache", dollars_a_call(cost.first), "", width=14)
        yield cells("  cached: each later call, which reads it", dollars_a_call(cost.later), "", width=14)
        yield cells("  cached: one write, then only reads", "", dollars(cost.cached_day), width=14)
        if not terms.caches(tokens):
            yield too_short("this prompt")
    yield ""


def _parts(audit: Audit, terms: Terms) -> Iterator[str]:
    yield cells("fixed part", "tokens", "share", "line")
    for name, rows in groupby(audit.rows, key=lambda row: row.group):
        yield cells(name, f"{audit.group(name):,}", percent(audit.group(name) / audit.tokens))
        yield from _rows(tuple(rows), audit.tokens)
    yield cells("around them (roles, brackets)", f"{audit.framing:,}", percent(audit.framing / audit.tokens))
    yield cells("total", f"{audit.tokens:,}", percent(1.0))
    if (share := terms.window_share(audit.tokens)) is not None:
        yield cells("share of the window", "", percent(share))


def _rows(rows: Sequence[Row], total: int) -> Iterator[str]:
    shown = [row for row in rows if len(rows) <= _MOST_ROWS or row.tokens >= _SMALL * total]
    for row in shown:
        line = "" if row.line is None else str(row.line)
        yield cells(f"  {row.name}", f"{row.tokens:,}", percent(row.tokens / total), line)
    if left := len(rows) - len(shown):
        tokens = sum(row.tokens for row in rows) - sum(row.tokens for row in shown)
        yield cells(f"  {left} smaller ones", f"{tokens:,}", percent(tokens / total))


def _findings(audit: Audit) -> Iterator[str]:
    if not audit.findings:
        yield "findings: none"
        return
    part = f"{audit.saving:,} tokens, {audit.saving / audit.tokens:.0%} of the total"
    yield f"findings: {len(audit.findings)}, together {part}"
    yield kinds_line(audit.findings)
    yield from finding_lines(audit.findings)
    yield ""
    yield from method_lines(audit.findings)
