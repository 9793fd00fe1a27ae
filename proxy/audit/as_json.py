"""The audits for machines: everything that the tables show, and all findings. docs/audit.md lists the fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from policies.audit import Difference, Finding, difference
from proxy.audit.audited import Audited, Terms

TWO = 2


def as_json(audits: Sequence[Audited], terms: Terms) -> dict[str, Any]:
    """One document for all files; `difference` is null unless there are two."""
    change = difference(audits[0].audit, audits[1].audit) if len(audits) == TWO else None
    return {
        "model": _model(terms),
        "calls_per_day": terms.calls_per_day,
        "prompts": [_prompt(audited, terms) for audited in audits],
        "difference": None if change is None else _difference(change, terms),
    }


def _model(terms: Terms) -> dict[str, Any] | None:
    if not terms.named:
        return None
    route = terms.route
    return {
        "name": route.sdk_model,
        "window": route.window,
        "token_factor": route.token_factor,
        "dollars_per_million": asdict(route.prices),
    }


def _prompt(audited: Audited, terms: Terms) -> dict[str, Any]:
    audit = audited.audit
    return {
        "file": audited.name,
        "notes": list(audited.notes),
        "tokens": audit.tokens,
        "window_share": terms.window_share(audit.tokens),
        "rows": [asdict(row) for row in audit.rows],
        "framing": audit.framing,
        "cost": _cost(audit.tokens, terms),
        "saving": audit.saving,
        "findings": [_finding(finding) for finding in audit.findings],
    }


def _cost(tokens: int, terms: Terms) -> dict[str, float | None] | None:
    cost = terms.cost(tokens)
    if cost is None:
        return None
    return {
        "call_uncached": cost.uncached,
        "call_cache_write": cost.first,
        "call_cache_read": cost.later,
        "day_uncached": cost.uncached_day,
        "day_cached": cost.cached_day,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    told = asdict(finding)
    del told["subject"]  # ours, to match findings of two files
    return told


def _difference(change: Difference, terms: Terms) -> dict[str, Any]:
    return {
        "tokens": change.tokens,
        "cost": _cost(change.tokens, terms),
        "rows": [{**asdict(row), "change": row.tokens} for row in change.rows],
        "gone": [_finding(finding) for finding in change.gone],
        "new": [_finding(finding) for finding in change.new],
        "explained": change.explained,
    }
