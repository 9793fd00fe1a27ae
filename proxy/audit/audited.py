"""One file, audited: what the tables and the JSON are made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from policies.audit import Audit, audit
from proxy.audit.fixed import prompt_of
from proxy.audit.money import LEAST_CACHED, Cost, cost
from proxy.audit.reading import read
from proxy.errors import RequestError
from proxy.replay import RecordingError
from proxy.tokens import Counter
from proxy.upstream import Route


@dataclass(frozen=True, slots=True)
class Terms:
    """What all files are audited for. Without a model (`named` false) there is neither window nor price."""

    route: Route
    named: bool
    calls_per_day: int

    def cost(self, tokens: int) -> Cost | None:
        """What so many tokens cost under these terms."""
        return cost(tokens, self.route, self.calls_per_day)

    def caches(self, tokens: int) -> bool:
        """Whether a prompt of no more than so many tokens would be cached at all."""
        return tokens * self.route.token_factor >= LEAST_CACHED

    def window_share(self, tokens: int) -> float | None:
        """Which part of the model's window so many tokens take."""
        return tokens * self.route.token_factor / self.route.window if self.route.window else None


@dataclass(frozen=True, slots=True)
class Audited:
    """A file's audit. `notes` say what its figures do not cover."""

    name: str
    audit: Audit
    notes: tuple[str, ...]


def audit_file(path: Path, counter: Counter) -> Audited:
    """The audit of a file; RecordingError, in one line, for one that holds no prompt."""
    asked = read(path)
    try:
        prompt = prompt_of(asked.body, counter.count)
    except RequestError as error:
        raise RecordingError(f"{path}: {error}") from error
    if not (prompt.texts or prompt.schemas or prompt.others):
        raise RecordingError(f"{path}: expected a system text or tools before the first answer, found neither")
    notes = asked.notes
    if counter.degraded:
        notes = (*notes, "no vocabulary is installed: tokens are estimated by length")
    return Audited(asked.name, audit(prompt, counter.count), notes)
