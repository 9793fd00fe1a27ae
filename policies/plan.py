"""The plan of one request: the edits, whether the input fits, and the report that accounts for every token.

received + added - everything taken out = forwarded, by construction and in every report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from policies.conversation import Conversation
from policies.edits import By, Drop, Edit, Note
from policies.fold import Fold, Reason
from policies.terms import Terms

Refusal = Literal["window", "system"]


@dataclass(frozen=True, slots=True)
class Use:
    """What one section of the budget uses of its share."""

    used: int
    share: int


@dataclass(frozen=True, slots=True)
class Report:
    """What a request was, and what was done to it, in tokens by the proxy's counter.

    `repeated_calls` is how often in a row the newest turn did the same as the one before it, with the same results.
    `narrowed` is by how many eighths the fold saw a smaller window, for what no section counts (reasoning) to fit;
    `bare` whether what we add (our tools, replayed exchanges) was left out because it did not fit.
    """

    received: int
    forwarded: int
    added: int = 0
    removed: Mapping[By, int] = field(default_factory=dict)
    compacted_turns: int = 0
    batches: tuple[Reason, ...] = ()
    budget: Mapping[str, Use] = field(default_factory=dict)
    narrowed: int = 0
    bare: bool = False
    repeated_calls: int = 0

    @property
    def view(self) -> int:
        """A number that differs from the previous request's where the prefix was rewritten: batches so far, a
        thousand for each eighth by which the window was narrowed, and ten thousand where our additions are left out."""
        return len(self.batches) + 1000 * self.narrowed + 10_000 * self.bare


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done. `max_output` is the lowered maximum, None to leave it; `refusal` why it cannot go on."""

    edits: tuple[Edit, ...]
    report: Report
    max_output: int | None = None
    refusal: Refusal | None = None


def untouched(conversation: Conversation, fixed_tokens: int) -> Plan:
    """The plan that does nothing."""
    total = fixed_tokens + sum(message.tokens + message.extra_tokens for message in conversation.messages)
    return Plan((), Report(total, total))


def plan(fold: Fold, conversation: Conversation, terms: Terms, max_output: int | None) -> Plan:
    """The plan at the end of a walk whose last checkpoint was held. `max_output` is what the client asked for."""
    messages = conversation.messages
    edits = fold.view.edits(messages)
    received = terms.fixed_tokens + sum(message.tokens + message.extra_tokens for message in messages)
    removed = _removed(edits, conversation)
    added = sum(edit.tokens for edit in edits if isinstance(edit, Note))
    forwarded = received + added - sum(removed.values())
    report = Report(
        received=received,
        forwarded=forwarded,
        added=added,
        removed=removed,
        compacted_turns=len(fold.view.gone),
        batches=fold.batches,
        budget=_sections(fold, terms, max_output),
        repeated_calls=fold.loops.repeats,
    )
    clamped = terms.budget.clamped(max_output, forwarded)
    return Plan(edits, report, clamped, _refusal(report, terms, max_output))


def watched(conversation: Conversation, terms: Terms, max_output: int | None) -> Plan:
    """The plan of `observe`: count and report, change nothing."""
    fold = Fold()
    for message in conversation.messages:
        fold.view.append(message)
    return Plan((), plan(fold, conversation, terms, max_output).report)


def _removed(edits: tuple[Edit, ...], conversation: Conversation) -> dict[By, int]:
    """Tokens taken out by each step, net of what stands in their place."""
    removed: dict[By, int] = {}
    for edit in edits:
        if isinstance(edit, Drop):
            extra = sum(message.extra_tokens for message in conversation.messages[edit.start : edit.end])
            removed[edit.by] = removed.get(edit.by, 0) + edit.tokens + extra
        elif not isinstance(edit, Note):
            removed[edit.by] = removed.get(edit.by, 0) + edit.before - edit.after
    return removed


def _sections(fold: Fold, terms: Terms, max_output: int | None) -> dict[str, Use]:
    budget, view, keep = terms.budget, fold.view, terms.policy.keep_last_turns
    return {
        "system": Use(terms.fixed_tokens + view.system, budget.system),
        "active": Use(view.active(keep), budget.active),
        "history": Use(view.history(keep), budget.history),
        "output": Use(max_output or 0, budget.output),
    }


def _refusal(report: Report, terms: Terms, max_output: int | None) -> Refusal | None:
    system = report.budget["system"]
    if terms.policy.on_system_over == "reject" and system.used > system.share:
        return "system"
    room = terms.budget.answer_room(max_output)
    if terms.policy.on_overflow == "reject" and report.forwarded + room > terms.budget.window:
        return "window"
    return None
