"""Two files side by side, for people: what changed, what that is worth a day, which findings went away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from policies.audit import Change, Difference, Finding, difference
from proxy.audit.audited import Audited, Terms
from proxy.audit.columns import cells, dollars, finding_lines, kinds_line, method_lines, model_line, percent, too_short


def report(before: Audited, after: Audited, terms: Terms) -> str:
    """The whole report."""
    change = difference(before.audit, after.audit)
    lines = [f"before: {before.name}", f"after:  {after.name}", model_line(terms)]
    lines += [f"note: {audited.name}: {note}" for audited in (before, after) for note in audited.notes]
    lines += ["", *_parts(change, terms), "", *_costs(change, terms)]
    if change.empty:
        return "\n".join([*lines, "no difference"]) + "\n"
    lines += [*_gone(change), *_listed("findings that came", change.new)]
    return "\n".join([*lines, *method_lines([*change.gone, *change.new])]) + "\n"


def _parts(change: Difference, terms: Terms) -> Iterator[str]:
    yield cells("fixed part", "before", "after", "change", *(["a day"] if terms.cost(0) else []))
    before, after = change.before, change.after
    for name, rows in groupby(sorted(change.rows, key=lambda row: _order(change, row)), key=lambda row: row.group):
        yield _line(name, before.group(name), after.group(name), terms)
        for row in rows:
            yield _line(f"  {row.name}", row.before, row.after, terms)
    yield _line("around them (roles, brackets)", before.framing, after.framing, terms)
    yield _line("total", before.tokens, after.tokens, terms)
    shares = [terms.window_share(audit.tokens) for audit in (before, after)]
    if None not in shares:
        yield cells("share of the window", *map(percent, shares))


def _order(change: Difference, row: Change) -> int:
    """Groups in the order in which they first stand in either file; the sort keeps the rows of each in theirs."""
    groups = list(dict.fromkeys(one.group for one in change.rows))
    return groups.index(row.group)


def _line(name: str, before: int | None, after: int | None, terms: Terms) -> str:
    """A row; its dollars are those of a day without the cache."""
    fewer = (after or 0) - (before or 0)
    numbers = ["-" if tokens is None else f"{tokens:,}" for tokens in (before, after)]
    cost = terms.cost(fewer)
    return cells(name, *numbers, f"{fewer:+,}", *([dollars(cost.uncached_day)] if cost else []))


def _costs(change: Difference, terms: Terms) -> Iterator[str]:
    before, after = terms.cost(change.before.tokens), terms.cost(change.after.tokens)
    if before is None or after is None:
        return
    yield cells(f"dollars a day, {before.calls_per_day:,} calls", "before", "after", "change")
    yield _day("  uncached", before.uncached_day, after.uncached_day)
    if before.cached_day is not None and after.cached_day is not None:
        yield _day("  cached: one write, then only reads", before.cached_day, after.cached_day)
        for name, audit in (("before", change.before), ("after", change.after)):
            if not terms.caches(audit.tokens):
                yield too_short(f"the prompt {name}")
    yield ""


def _day(name: str, before: float, after: float) -> str:
    return cells(name, dollars(before), dollars(after), dollars(after - before))


def _gone(change: Difference) -> Iterator[str]:
    yield from _listed("findings that went away", change.gone, change.explained)


def _listed(what: str, findings: Sequence[Finding], explained: float | None = None) -> Iterator[str]:
    if not findings:
        yield from (f"{what}: none", "")
        return
    part = "" if explained is None else f", which is {explained:.0%} of the difference"
    yield f"{what}: {len(findings)}, together {sum(finding.tokens for finding in findings):,} tokens{part}"
    yield kinds_line(findings)
    yield from finding_lines(findings)
    yield ""
