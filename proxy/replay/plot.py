"""A replay as a picture: for each session its requests' tokens and its growing bill, untouched and proxied.

What is drawn is a pure function (`panels`). The drawing needs matplotlib, which is no dependency of the proxy: it is
looked for before a replay starts, and imported when there is something to draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from proxy.replay.figures import course_of
from proxy.replay.rows import Replayed
from proxy.settings.faults import ConfigError, Fault

MOST = 6
"""So many sessions fit one picture: the largest are drawn."""
_UNTOUCHED, _FORWARDED = "#9a9a9a", "#1f6fb2"


@dataclass(frozen=True, slots=True)
class Panel:
    """One session. All lists run over its forwarded requests, whose numbers (from 1) are `requests`."""

    title: str
    requests: tuple[int, ...]
    untouched_tokens: tuple[int, ...]
    forwarded_tokens: tuple[int, ...]
    untouched_cost: tuple[float, ...]
    forwarded_cost: tuple[float, ...]
    batches: tuple[int, ...]


def need_matplotlib() -> None:
    """ConfigError with the remedy where there is none."""
    if find_spec("matplotlib") is None:
        raise ConfigError(
            [Fault("--plot", "", "needs matplotlib, which is not installed; pip install 'forebay[plot]'")]
        )


def panels(replayed: Sequence[Replayed]) -> list[Panel]:
    """What to draw: the sessions of most tokens, in the order given."""
    weights = [sum(row.untouched.tokens for row in session.main.rows) for session in replayed]
    largest = sorted(range(len(replayed)), key=lambda index: -weights[index])[:MOST]
    return [_panel(replayed[index]) for index in sorted(largest)]


def _panel(session: Replayed) -> Panel:
    rows = [(number, row) for number, row in enumerate(session.main.rows, start=1) if row.forwarded is not None]
    course = course_of([row for _, row in rows], session.main.prices)
    return Panel(
        title=session.name,
        requests=tuple(number for number, _ in rows),
        untouched_tokens=tuple(row.untouched.tokens for _, row in rows),
        forwarded_tokens=tuple(row.forwarded.tokens for _, row in rows if row.forwarded),
        untouched_cost=course.untouched,
        forwarded_cost=course.forwarded,
        batches=tuple(number for number, row in rows if row.new_batches),
    )


def draw(drawn: Sequence[Panel], path: Path) -> None:
    """Write the picture as PNG. OSError where it cannot be written."""
    figure = import_module("matplotlib.figure").Figure(figsize=(12, 3.2 * len(drawn)), layout="constrained")
    axes = figure.subplots(len(drawn), 2, squeeze=False)
    for (tokens, cost), panel in zip(axes, drawn, strict=True):
        for axis, untouched, forwarded, title in (
            (tokens, panel.untouched_tokens, panel.forwarded_tokens, "tokens per request"),
            (cost, panel.untouched_cost, panel.forwarded_cost, "cost so far (input tokens)"),
        ):
            axis.plot(panel.requests, untouched, color=_UNTOUCHED, label="untouched")
            axis.plot(panel.requests, forwarded, color=_FORWARDED, label="proxied")
            for number in panel.batches:
                axis.axvline(number, color=_FORWARDED, alpha=0.25, linewidth=0.8)
            axis.set_title(f"{panel.title}: {title}", fontsize=9)
            axis.set_ylim(bottom=0)
            axis.legend(fontsize=8)
    figure.savefig(path, format="png", dpi=120)
