"""Statements that stand more than once, in other words or the same: in texts, in descriptions, or in both.

Each statement joins the first group whose first member it is alike to (`words.py`), in the order of the prompt.
Of a group the longest stays; the others are what could go.
"""

from __future__ import annotations

from collections.abc import Iterator

from policies.audit.claims import Parts, Statement
from policies.audit.findings import Finding
from policies.audit.words import LEAST_WORDS, alike

_LEAST_TOKENS = 5


def repeats(parts: Parts) -> Iterator[Finding]:
    """One finding for each group of two and more."""
    for group in _groups(parts.free(parts.statements)):
        if len(group) > 1:
            kept = max(group, key=lambda one: one.tokens)
            others = [one for one in group if one is not kept]
            yield _finding(kept, others, parts.take(others))


def _groups(statements: list[Statement]) -> list[list[Statement]]:
    groups: list[list[Statement]] = []
    by_pair: dict[str, list[int]] = {}
    for statement in statements:
        said = statement.said
        if len(said.words) < LEAST_WORDS or statement.tokens < _LEAST_TOKENS:
            continue
        near = sorted({group for pair in said.pairs for group in by_pair.get(pair, ())})
        found = next((group for group in near if alike(groups[group][0].said, said)), None)
        if found is not None:
            groups[found].append(statement)
            continue
        for pair in set(said.pairs):
            by_pair.setdefault(pair, []).append(len(groups))
        groups.append([statement])
    return groups


def _finding(kept: Statement, others: list[Statement], tokens: int) -> Finding:
    in_schemas = all(one.in_schema for one in (kept, *others))
    said = f"said {len(others) + 1} times"
    if in_schemas:
        advice = f"{said}; describe it once, in the system text or at the first of these places"
    else:
        advice = f"{said}; keep the place where it is needed most"
    return Finding(
        kind="repeated description" if in_schemas else "repeated statement",
        tokens=tokens,
        places=(kept.place, *(one.place for one in others)),
        quote=kept.text,
        advice=advice,
        how="the tokens of all but the longest of these sentences",
        subject=" ".join(kept.said.words),
    )
