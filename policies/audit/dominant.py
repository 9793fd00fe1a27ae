"""What takes up most of a prompt: examples in its texts, schemas beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policies.audit.claims import Part, Parts, Statement
from policies.audit.findings import Finding, Place
from policies.audit.lines import lines_of

EXAMPLES_SHARE = 0.2
EXAMPLES_TOKENS = 200
SCHEMAS_SHARE = 1 / 3
SCHEMA_TOKENS = 200


def dominant_examples(parts: Parts) -> Iterator[Finding]:
    """One finding if examples are a fifth of the texts or more."""
    texts = sum(part.row.tokens for part in parts.all if part.section)
    found = [one for part in parts.all for one in _weighed(part, parts)]
    total = sum(tokens for _, tokens in found)
    if total < EXAMPLES_TOKENS or total < EXAMPLES_SHARE * texts:
        return
    longest = max(range(len(found)), key=lambda index: found[index][1])
    if len(found) == 1:
        place, tokens = found[0]
        saved, how = parts.claim(place, tokens // 2), "half of the example"
        advice = "cut it to the lines that show what the rules do not say"
    else:
        others = [one for index, one in enumerate(found) if index != longest]
        saved, how = sum(parts.claim(*one) for one in others), "the tokens of all but the longest example"
        advice = "keep one; say in a rule what another one shows"
    yield Finding(
        kind="examples",
        tokens=saved,
        places=tuple(place for place, _ in found),
        quote=f"{len(found)} of them, {total:,} tokens, {total / texts:.0%} of the texts",
        advice=advice,
        how=how,
        subject="",
    )


def dominant_schemas(parts: Parts) -> Iterator[Finding]:
    """One finding for a schema that is most of all schemas, else one for all long ones if they fill the prompt."""
    schemas = [part for part in parts.all if part.schema]
    long = [part for part in schemas if part.row.tokens >= SCHEMA_TOKENS]
    total = sum(part.row.tokens for part in schemas)
    whole = sum(part.row.tokens for part in parts.all)
    most = [part for part in long if part.row.tokens * 2 > total and len(schemas) > 1]
    if most:
        share = f"{most[0].row.tokens / total:.0%} of the tokens of {len(schemas)} schemas"
        yield _schemas(parts, most, f"{most[0].row.name} is {share}")
    elif long and total >= SCHEMAS_SHARE * whole:
        yield _schemas(parts, long, f"{len(schemas)} schemas, {total:,} tokens, {total / whole:.0%} of the prompt")


def _weighed(part: Part, parts: Parts) -> Iterator[tuple[Place, int]]:
    """Each example of a section and its tokens."""
    if part.section is None:
        return
    lines = lines_of(part.section.text)
    for one in part.examples:
        place = Place(part.row.group, part.row.name, line=part.section.line + one.start)
        yield place, parts.count("".join(lines[one.start : one.end]))


def _schemas(parts: Parts, long: Sequence[Part], quote: str) -> Finding:
    behind: list[Statement] = [one for part in long for one in part.statements if not one.first]
    return Finding(
        kind="schema",
        tokens=parts.take(parts.free(behind)),
        places=tuple(Place(part.row.group, part.row.name) for part in long),
        quote=quote,
        advice="keep the first sentence of each description; drop properties that nobody sets",
        how="the sentences of their descriptions behind each first one, less what other findings claim",
        subject=" ".join(part.row.name for part in long),
    )
