"""Two audits side by side: which rows changed, which findings went away, which came."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from policies.audit.audit import Audit
from policies.audit.findings import Finding, Row

_NUMBER = re.compile(r"^(?:(?:part|step|section)\s+)?(?:\d+|[ivx]+|[a-z])[.):]\s+")


@dataclass(frozen=True, slots=True)
class Change:
    """One row in both prompts; None where one of them has none of that name."""

    group: str
    name: str
    before: int | None
    after: int | None

    @property
    def tokens(self) -> int:
        """How many more tokens the second prompt has here; negative: fewer."""
        return (self.after or 0) - (self.before or 0)


@dataclass(frozen=True, slots=True)
class Difference:
    """The change from `before` to `after`. Findings are the same if their kind and subject are."""

    before: Audit
    after: Audit
    rows: tuple[Change, ...]
    gone: tuple[Finding, ...]
    new: tuple[Finding, ...]

    @property
    def tokens(self) -> int:
        """How many more tokens the second prompt has; negative: fewer."""
        return self.after.tokens - self.before.tokens

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        return not (any(change.tokens for change in self.rows) or self.tokens or self.gone or self.new)

    @property
    def explained(self) -> float | None:
        """Which part of the tokens that went the findings that went had claimed; None where it grew."""
        return sum(finding.tokens for finding in self.gone) / -self.tokens if self.tokens < 0 else None


def difference(before: Audit, after: Audit) -> Difference:
    """Rows are matched by group and name, whatever number stands before it and however it is written."""
    return Difference(
        before,
        after,
        tuple(_rows(before, after)),
        _only(before.findings, after.findings),
        _only(after.findings, before.findings),
    )


def _rows(before: Audit, after: Audit) -> Iterator[Change]:
    left = list(after.rows)
    for row in before.rows:
        other = next((one for one in left if _key(one) == _key(row)), None)
        if other is not None:
            left.remove(other)
        yield Change(row.group, row.name, row.tokens, other.tokens if other else None)
    for row in left:
        yield Change(row.group, row.name, None, row.tokens)


def _key(row: Row) -> tuple[str, str]:
    return row.group, _NUMBER.sub("", row.name.lower())


def _only(of: Iterable[Finding], others: Iterable[Finding]) -> tuple[Finding, ...]:
    there = Counter((finding.kind, finding.subject) for finding in others)
    found: list[Finding] = []
    for finding in of:
        key = (finding.kind, finding.subject)
        there[key] -= 1
        if there[key] < 0:
            found.append(finding)
    return tuple(found)
