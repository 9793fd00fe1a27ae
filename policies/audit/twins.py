"""Tools that are nearly one: their descriptions and the names of their properties say almost the same.

Each tool joins the first earlier one that it shares enough with. Of a group the largest stays; of each other what it
shares could go, if one tool with a parameter more did the work of all.
"""

from __future__ import annotations

from collections.abc import Iterator

from policies.audit.claims import Part, Parts
from policies.audit.findings import Finding, Place
from policies.audit.prompt import Schema
from policies.audit.words import Said, overlap, said

LEAST_OVERLAP = 0.6
_LEAST_TOKENS = 60


def twins(parts: Parts) -> Iterator[Finding]:
    """One finding for each group of two tools and more."""
    for group in _groups(parts):
        if len(group) > 1:
            yield _finding(parts, group)


def _groups(parts: Parts) -> list[list[tuple[Part, Said]]]:
    groups: list[list[tuple[Part, Said]]] = []
    for part in parts.all:
        if part.schema is None or part.schema.group == "response_format" or part.row.tokens < _LEAST_TOKENS:
            continue
        own = _said(part.schema)
        found = next((group for group in groups if overlap(group[0][1], own) >= LEAST_OVERLAP), None)
        if found is None:
            groups.append([(part, own)])
        else:
            found.append((part, own))
    return groups


def _said(schema: Schema) -> Said:
    return said(" ".join([*(one.text for one in schema.descriptions), *schema.properties]))


def _finding(parts: Parts, group: list[tuple[Part, Said]]) -> Finding:
    kept, of = max(group, key=lambda one: one[0].row.tokens)
    others = [(part, overlap(of, own)) for part, own in group if part is not kept]
    tokens = 0
    for part, shared in others:
        tokens += parts.claim(Place(part.row.group, part.row.name), int(shared * part.row.tokens))
        parts.pass_over(part.statements)
    names = [part.row.name for part, _ in group]
    least = f"{min(shared for _, shared in others):.0%} of what they say"
    return Finding(
        kind="twin tools",
        tokens=tokens,
        places=tuple(Place(part.row.group, part.row.name) for part, _ in group),
        quote=f"{names[0]} and {names[1]} share {least}"
        if len(group) == 2
        else f"{len(others)} tools share at least {least} with {kept.row.name}",
        advice="make them one tool with a parameter that tells them apart",
        how="of each definition but the largest, the part that it shares with that one",
        subject=" ".join(names),
    )
