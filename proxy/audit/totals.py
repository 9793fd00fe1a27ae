"""More than two files, for people: a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proxy.audit.audited import Audited, Terms
from proxy.audit.columns import cells, dollars, model_line, percent


def report(audits: Sequence[Audited], terms: Terms) -> str:
    """Totals in the order of the files, and their sum."""
    return "\n".join(_lines(audits, terms)) + "\n"


def _lines(audits: Sequence[Audited], terms: Terms) -> Iterator[str]:
    yield model_line(terms)
    yield from (f"note: {audited.name}: {note}" for audited in audits for note in audited.notes)
    yield ""
    day = terms.cost(0)
    money = ["uncached", "cached"] if day else []
    yield cells("file", "tokens", "of window", "findings", "could save", *money, width=12)
    for audited in audits:
        audit = audited.audit
        share = percent(terms.window_share(audit.tokens))
        yield cells(
            audited.name, f"{audit.tokens:,}", share, str(len(audit.findings)), f"{audit.saving:,}",
            *_money(audit.tokens, terms), width=12,
        )  # fmt: skip
    if day:
        yield ""
        yield f"dollars are a day's, at {terms.calls_per_day:,} calls: uncached; cached: one write, then only reads"


def _money(tokens: int, terms: Terms) -> list[str]:
    cost = terms.cost(tokens)
    return [dollars(cost.uncached_day), dollars(cost.cached_day)] if cost else []
