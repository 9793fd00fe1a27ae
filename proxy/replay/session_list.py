"""Sessions one by one: all of a few, and of many those that came out worst."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proxy.replay.figures import Figures

ALL = 12
"""Up to so many sessions are listed in full."""
_WORST = 4
_WIDTHS = (10, 13, 8, 8, 8, 10, 8)


def session_list(names: Sequence[str], of: Sequence[Figures]) -> Iterator[str]:
    """A line per session, the dearest first."""
    chosen = list(range(len(of))) if len(of) <= ALL else worst(of)
    heading = "session" if len(of) <= ALL else f"the worst of {len(of)} sessions"
    width = max(len(heading), *(min(len(names[index]), 30) for index in chosen))
    heads = ("requests", "untouched", "cost", "worst", "breaks", "evidence", "reuse")
    yield f"{heading:<{width}}{''.join(f'{head:>{size}}' for head, size in zip(heads, _WIDTHS, strict=True))}"
    for index in sorted(chosen, key=lambda index: -(of[index].cost_ratio or 0)):
        cells = "".join(f"{cell:>{size}}" for cell, size in zip(_cells(of[index]), _WIDTHS, strict=True))
        yield f"{_shortened(names[index], width):<{width}}{cells}  {'; '.join(_troubles(of[index]))}".rstrip()


def worst(of: Sequence[Figures]) -> list[int]:
    """The dearest sessions, those that could have ended dearest, those that lost most evidence, those in trouble."""
    every = range(len(of))
    by_cost = sorted(every, key=lambda index: -(of[index].cost_ratio or 0))[:_WORST]
    by_prefix = sorted(every, key=lambda index: -(of[index].worst or 0))[:_WORST]
    by_evidence = sorted(every, key=lambda index: _held(of[index]))[:_WORST]
    in_trouble = [index for index in every if any(_troubles(of[index]))][:ALL]
    return sorted({*by_cost, *by_prefix, *by_evidence, *in_trouble})


def _held(figure: Figures) -> float:
    return 1.0 if figure.evidence.share is None else figure.evidence.share


def _cells(figure: Figures) -> tuple[str, ...]:
    return (
        f"{figure.requests + figure.brakes:,}",
        f"{figure.untouched.tokens:,}",
        _number(figure.cost_ratio),
        _number(figure.worst),
        _number(figure.breaks(figure.forwarded), 1),
        _number(figure.evidence.share),
        _number(figure.reuse.share),
    )


def _troubles(figure: Figures) -> Iterator[str]:
    if figure.brakes:
        yield f"{figure.brakes} brake"
    if figure.faults:
        yield f"{figure.faults} faults"
    if figure.failed_open:
        yield f"{figure.failed_open} failed open"
    if figure.restarts_identical < figure.restarts:
        yield "restart differs"


def _number(value: float | None, places: int = 3) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def _shortened(name: str, width: int) -> str:
    return name if len(name) <= width else f"{name[: width - 3]}..."
