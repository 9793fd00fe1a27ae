"""A replay for machines: every figure under every regime, and every request under the prices asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from proxy.replay.figures import Figures, figures, ratio, reading_back, total
from proxy.replay.recall import Recall
from proxy.replay.rows import Replayed, Row
from proxy.replay.setup import Setup
from proxy.version import VERSION

Json = dict[str, Any]


def as_json(replayed: Sequence[Replayed], setup: Setup) -> Json:
    """The document of `--json`; `figures` of total and sessions are keyed by regime, `W/D`."""
    route = setup.route
    return {
        "forebay": VERSION,
        "policy": setup.policy_name,
        "model": route.model,
        "window": route.window,
        "window_includes_output": route.window_includes_output,
        "encoding": route.encoding,
        "prices": _key(setup.prices.write, setup.prices.read),
        "total": {
            _key(prices.write, prices.read): figures_json(total([figures(one.played[position]) for one in replayed]))
            for position, prices in enumerate(setup.regimes)
        },
        "reading_back": figures_json(reading_back(replayed)),
        "sessions": [_session(one) for one in replayed],
    }


def _session(one: Replayed) -> Json:
    return {
        "name": one.name,
        "format": one.format,
        "mends": list(one.mends),
        "reading_back": figures_json(figures(one.reading_back)) if one.reading_back else None,
        "figures": {_key(p.prices.write, p.prices.read): figures_json(figures(p)) for p in one.played},
        "requests": [_row(row) for row in one.main.rows],
    }


def figures_json(of: Figures) -> Json:
    """All sums, and the ratios made of them; null where there is nothing to divide by."""
    return {
        **asdict(of),
        "cost_ratio": of.cost_ratio,
        "cost_ratio_without_our_tool": of.cost_ratio_without_our_tool,
        "token_ratio": of.token_ratio,
        "batches": of.batches,
        "stability": {"untouched": of.stability(of.untouched), "forwarded": of.stability(of.forwarded)},
        "breaks_per_100": {"untouched": of.breaks(of.untouched), "forwarded": of.breaks(of.forwarded)},
        "readings_per_100": of.readings_per_100,
        "first_page_share": of.first_page_share,
        "evidence": _recall(of.evidence),
        "reuse": _recall(of.reuse),
    }


def _recall(of: Recall) -> Json:
    shares = {
        f"{name}_share": ratio(getattr(of, name), of.used) for name in ("in_context", "reachable", "without_names")
    }
    return {**asdict(of), **shares}


def _row(row: Row) -> Json:
    return {**asdict(row), "brake": row.forwarded is None}


def _key(write: float, read: float) -> str:
    return f"{write:g}/{read:g}"
