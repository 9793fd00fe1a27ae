"""What the demo shows of a run: a line per request, the sums, and sentences about what was seen.

Everything fits 100 columns of a plain terminal. The bar of a request is as long as the request was when it
came; its parts are what was paid in full, what the provider's cache held, and what did not go out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from proxy.demo.figures import Row, Run

WIDTH = 100
_BAR = 26
_COLUMNS = ("", "received", "forwarded", "cached", "turns", "dropped", "cleared", "spilled", "batches")
_WIDTHS = (4, 9, 10, 8, 6, 8, 8, 8, 8)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The characters of a bar: paid in full, read from the cache, kept out."""

    fresh: str
    cached: str
    kept_out: str


UNICODE = Blocks("█", "▒", "·")
ASCII = Blocks("#", "=", ".")


def blocks_for(encoding: str | None) -> Blocks:
    """Block characters where the terminal can show them, else ASCII."""
    try:
        "".join((UNICODE.fresh, UNICODE.cached, UNICODE.kept_out)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def report(run: Run, blocks: Blocks = UNICODE) -> str:
    """Heading, table, sums and sentences of one run."""
    parts = [*_heading(run, blocks), *_table(run.rows, blocks), "", *_sums(run), "", *_wrapped(_sentences(run))]
    return "\n".join(parts) + "\n"


def _heading(run: Run, blocks: Blocks) -> Iterator[str]:
    title = f"{run.session}: {len(run.rows)} requests, window {run.window:,}, policy {run.policy}"
    yield title
    yield "=" * len(title)
    yield f"tokens per request   {blocks.cached} from cache   {blocks.fresh} full price   {blocks.kept_out} kept out"
    yield ""
    yield _line(_COLUMNS)


def _table(rows: Sequence[Row], blocks: Blocks) -> Iterator[str]:
    largest = max(max(row.received, row.forwarded) for row in rows)
    batches = 0
    for number, row in enumerate(rows, start=1):
        cells = (row.received, row.forwarded, row.cached, row.compacted_turns, row.dropped, row.cleared, row.spilled)
        batch = f"{row.batches}{'<' if row.batches > batches else ' '}" if row.batches else ""
        batches = row.batches
        bar = _bar(row, largest, blocks) if not row.faults else "FAULT"
        yield f"{_line((str(number), *(f'{cell:,}' if cell else '' for cell in cells), batch))} {bar}".rstrip()


def _line(cells: Iterable[str]) -> str:
    return "".join(cell.rjust(width) for cell, width in zip(cells, _WIDTHS, strict=True))


def _bar(row: Row, largest: int, blocks: Blocks) -> str:
    """Edges are rounded, not lengths, so that the parts always add up to the whole."""

    def edge(tokens: int) -> int:
        return round(tokens / largest * _BAR)

    cached, forwarded, received = edge(row.cached), edge(row.forwarded), edge(row.received)
    kept_out = max(0, received - forwarded)
    return blocks.cached * cached + blocks.fresh * (forwarded - cached) + blocks.kept_out * kept_out


def _sums(run: Run) -> Iterator[str]:
    plain, proxied = run.untouched(), run.proxied()
    yield f"{'':<28}{'untouched':>14}{'with the proxy':>18}{'change':>12}"
    for name, before, after in (
        ("tokens processed", plain.processed, proxied.processed),
        ("  of these from the cache", plain.cached, proxied.cached),
        ("largest request", plain.largest, proxied.largest),
    ):
        yield f"{name:<28}{before:>14,}{after:>18,}{_change(before, after):>12}"
    bill, with_proxy = plain.dollars, proxied.dollars
    change = _change(bill, with_proxy)
    yield f"{'cost, cache counted':<28}{_dollars(bill):>14}{_dollars(with_proxy):>18}{change:>12}"


def _dollars(amount: float) -> str:
    return f"${amount:.4f}"


def _change(before: float, after: float) -> str:
    if not before or before == after:
        return "same"
    return f"{(after - before) / before:+.1%}"


def _sentences(run: Run) -> Iterator[str]:
    yield from _how_it_went_out(run)
    yield from _what_it_cost(run)
    yield from _what_was_in_view(run)
    yield from _faults(run)


def _how_it_went_out(run: Run) -> Iterator[str]:
    identical = sum(row.identical for row in run.rows)
    but = ", but for our retrieval tool" if any(row.identical and row.added for row in run.rows) else ""
    if identical == len(run.rows):
        yield f"Everything fitted: every request was forwarded byte for byte{but}."
        return
    first = next(number for number, row in enumerate(run.rows, start=1) if not row.identical)
    yield f"{identical} of {len(run.rows)} requests went out byte for byte{but}; number {first} was the first edited."
    over = sum(row.received > run.window for row in run.rows)
    if over:
        yield f"Untouched, {over} of them would not have fitted the window at all."
    batches = run.rows[-1].batches
    yield f"The prefix was rewritten in {batches} batch{'' if batches == 1 else 'es'} (marked <)."
    last = run.rows[-1]
    if last.compacted_turns:
        yield f"At the end {last.compacted_turns} turns were out of view, with a notice of where they can be read."


def _what_it_cost(run: Run) -> Iterator[str]:
    plain, proxied = run.untouched(), run.proxied()
    tokens = 1 - proxied.processed / plain.processed
    cost = proxied.dollars / plain.dollars - 1
    if abs(tokens) >= 0.0005:
        yield f"The provider processed {abs(tokens):.1%} {'fewer' if tokens > 0 else 'more'} tokens."
    if cost > 0.0005:
        yield f"The bill went UP by {cost:.1%}: {_why_dearer(run)}."
    elif cost < -0.0005:
        cheap = -cost < tokens
        why = ", less than the tokens: much of what is no longer sent would have come from the cache" if cheap else ""
        yield f"The bill went down by {-cost:.1%}{why}."


def _why_dearer(run: Run) -> str:
    if run.rows[-1].batches:
        return "rewritten prefixes have to be written to the provider's cache again"
    return "the definition of our tool is part of each request"


def _what_was_in_view(run: Run) -> Iterator[str]:
    quotes, held = sum(row.quotes for row in run.rows), sum(row.quotes_held for row in run.rows)
    if quotes:
        yield (
            f"Of {quotes} exact error lines that later answers quote, "
            f"{held} stood word for word in the request that was forwarded for that answer."
        )


def _faults(run: Run) -> Iterator[str]:
    if run.valid:
        yield f"All {len(run.rows)} were valid: status 200, structure sound, every answer as the upstream gave it."
    for number, row in enumerate(run.rows, start=1):
        for fault in row.faults:
            yield f"FAULT in request {number}: {fault}"


def _wrapped(sentences: Iterable[str]) -> Iterator[str]:
    """Sentences set as one paragraph; a fault begins a line of its own."""
    line = ""
    for word in (word for sentence in sentences for word in (*_breaks(sentence), *sentence.split())):
        if word == "\n" or len(line) + 1 + len(word) > WIDTH:
            if line:
                yield line
            line = "" if word == "\n" else word
        else:
            line = f"{line} {word}".lstrip()
    if line:
        yield line


def _breaks(sentence: str) -> tuple[str, ...]:
    return ("\n",) if sentence.startswith("FAULT") else ()
