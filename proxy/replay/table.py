"""What a person reads of a replay: untouched beside proxied, the same under other prices, and session by session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policies.terms import CachePrices
from proxy.replay import glossary as of
from proxy.replay.figures import Figures, figures, ratio, reading_back, total
from proxy.replay.recall import Recall
from proxy.replay.rows import Replayed
from proxy.replay.session_list import session_list
from proxy.replay.setup import Setup

_NAME, _NUMBER = 30, 15


def report(replayed: Sequence[Replayed], setup: Setup) -> str:
    """The whole report, within 100 columns."""
    main = [figures(session.main) for session in replayed]
    return "\n".join(
        [
            *_heading(replayed, total(main), setup),
            "",
            *_comparison(total(main)),
            *_summaries(total(main)),
            *_readings(reading_back(replayed)),
            "",
            *_regimes(replayed),
            "",
            *session_list([session.name for session in replayed], main),
            *_remarks(replayed),
            "",
        ]
    )


def _heading(replayed: Sequence[Replayed], figure: Figures, setup: Setup) -> Iterator[str]:
    name = replayed[0].name if len(replayed) == 1 else f"{len(replayed)} sessions"
    title = f"{name}, {figure.requests + figure.brakes:,} requests, policy {setup.policy_name}"
    yield title
    yield "=" * len(title)
    window = f"window {setup.route.window:,}{', the answer in it' if setup.route.window_includes_output else ''}"
    yield f"model {setup.route.model}, {window}; prices {shown_prices(setup.prices)}"


def _comparison(figure: Figures) -> Iterator[str]:
    untouched, forwarded = figure.untouched, figure.forwarded
    yield _line("", "untouched", "proxied", "")
    yield _line(of.TOKENS, f"{untouched.tokens:,}", f"{forwarded.tokens:,}", _share(figure.token_ratio))
    yield _line(of.PEAK, f"{untouched.peak:,}", f"{forwarded.peak:,}", _share(ratio(forwarded.peak, untouched.peak)))
    yield _line(of.COST, f"{untouched.cost:,.0f}", f"{forwarded.cost:,.0f}", _share(figure.cost_ratio))
    yield _line(
        of.COST_WITHOUT_TOOL, "", f"{figure.cost_without_our_tool:,.0f}", _share(figure.cost_ratio_without_our_tool)
    )
    yield _line(of.WORST, "", "", _share(figure.worst))
    yield _line(of.WORST_WITHOUT_TOOL, "", "", _share(figure.worst_without_our_tool))
    yield _line(of.STABILITY, *(_share(figure.stability(side)) for side in (untouched, forwarded)))
    yield _line(of.BREAKS, *(_one_place(figure.breaks(side)) for side in (untouched, forwarded)))
    yield _line(of.BATCHES, "", str(figure.batches), _reasons(figure))
    for name, recall, held in _recalls(figure):
        yield _line(
            name, "1.000" if recall.used else "-", _share(ratio(held, recall.used)), f"{held:,} of {recall.used:,}"
        )
    yield _line(of.FAULTS, "", str(figure.faults))
    yield _line(of.BRAKES, "", str(figure.brakes))
    yield _line(of.OVER_WINDOW, str(figure.over_window), "")
    yield _line(of.RESTART, "", f"{figure.restarts_identical} of {figure.restarts}")


def _summaries(figure: Figures) -> Iterator[str]:
    yield _line(of.SUMMARIES, "", f"{figure.summaries}", f"cost {figure.summary_cost:,.0f}" if figure.summaries else "")


def _readings(figure: Figures) -> Iterator[str]:
    """What a model pays that reads back what it lacks."""
    if not figure.sessions:
        return
    yield _line(of.READINGS, "", _one_place(figure.readings_per_100), f"{figure.readings:,} readings")
    yield _line(of.FIRST_PAGES, "", _share(figure.first_page_share))
    yield _line(of.FAILED_READINGS, "", str(figure.failed_readings))
    yield _line(of.READ_COST, "", f"{figure.forwarded.cost:,.0f}", _share(figure.cost_ratio))


def _recalls(figure: Figures) -> Iterator[tuple[str, Recall, int]]:
    evidence, reuse = figure.evidence, figure.reuse
    yield of.EVIDENCE, evidence, evidence.in_context
    yield of.EVIDENCE_REACHABLE, evidence, evidence.reachable
    yield of.EVIDENCE_WITHOUT_NAMES, evidence, evidence.without_names
    yield of.REUSE, reuse, reuse.in_context
    yield of.REUSE_REACHABLE, reuse, reuse.reachable
    yield of.REUSE_WITHOUT_NAMES, reuse, reuse.without_names


def _regimes(replayed: Sequence[Replayed]) -> Iterator[str]:
    """One line per price regime: each is a replay of its own, edited by its own prices."""
    heads = f"{'cost':>8}{'worst':>8}{'stable':>8}{'breaks':>8}{'evidence':>10}{'reuse':>8}{'brakes':>8}"
    yield f"{'prices':<22}{'tokens':>13}{heads}"
    for position, played in enumerate(replayed[0].played):
        figure = total([figures(session.played[position]) for session in replayed])
        side = figure.forwarded
        yield (
            f"{shown_prices(played.prices):<22}{side.tokens:>13,}{_share(figure.cost_ratio):>8}{_share(figure.worst):>8}"
            f"{_share(figure.stability(side)):>8}{_one_place(figure.breaks(side)):>8}"
            f"{_share(figure.evidence.share):>10}{_share(figure.reuse.share):>8}{figure.brakes:>8}"
        )


def _remarks(replayed: Sequence[Replayed]) -> Iterator[str]:
    mended = [session for session in replayed if session.mends]
    if mended:
        count = sum(len(session.mends) for session in mended)
        yield ""
        yield f"{count} places of {len(mended)} recordings were mended to be sound; --json says which."
    for session in replayed:
        for number, row in enumerate(session.main.rows, start=1):
            for fault in row.faults:
                yield f"FAULT in {session.name}, request {number}: {fault}"
            if row.failed_open:
                yield f"FAULT in {session.name}, request {number}: the policy failed and the original was forwarded"


def shown_prices(prices: CachePrices) -> str:
    """A regime as it is written on the command line, and what it is where that is not obvious."""
    return f"{prices.write:g}/{prices.read:g}{' (no cache)' if prices.read >= prices.write else ''}"


def _reasons(figure: Figures) -> str:
    return f"{figure.cost_batches} for cost, {figure.window_batches} by the window" if figure.batches else ""


def _line(name: str, untouched: str, proxied: str, note: str = "") -> str:
    return f"{name:<{_NAME}}{untouched:>{_NUMBER}}{proxied:>{_NUMBER}}  {note:>14}".rstrip()


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _one_place(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
