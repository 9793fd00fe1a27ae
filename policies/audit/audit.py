"""The audit of one prompt: its rows, its findings, the largest first."""

from __future__ import annotations

from dataclasses import dataclass

from policies.audit.claims import Count, Parts
from policies.audit.dominant import dominant_examples, dominant_schemas
from policies.audit.filler import filler
from policies.audit.findings import Finding, Row
from policies.audit.prompt import Prompt
from policies.audit.repeats import repeats
from policies.audit.twins import twins

_IN_ORDER = (twins, repeats, dominant_examples, dominant_schemas, filler)
"""Who looks first claims first: what says most about a token comes before what says less."""


@dataclass(frozen=True, slots=True)
class Audit:
    """`rows` and `framing` add up to `tokens`, the findings come to `saving`.

    `framing` is what stands around the parts: roles, the start of the answer, brackets between definitions.
    """

    rows: tuple[Row, ...]
    framing: int
    tokens: int
    findings: tuple[Finding, ...]

    @property
    def saving(self) -> int:
        """All findings together; never more than the rows hold."""
        return sum(finding.tokens for finding in self.findings)

    def group(self, name: str) -> int:
        """The tokens of all rows of a group."""
        return sum(row.tokens for row in self.rows if row.group == name)


def audit(prompt: Prompt, count: Count) -> Audit:
    """What a prompt's fixed part is made of; `count(text)` is the tokens of a text."""
    parts = Parts(prompt, count)
    rows = tuple(part.row for part in parts.all)
    found = [finding for look in _IN_ORDER for finding in look(parts) if finding.tokens or finding.kind == "schema"]
    found.sort(key=lambda finding: -finding.tokens)
    return Audit(rows, prompt.tokens - sum(row.tokens for row in rows), prompt.tokens, tuple(found))
