"""The brake's answer: why a request cannot go on, with every number that led to it, and the remedy."""

from __future__ import annotations

from policies.budget import Budget
from policies.plan import Plan
from proxy.errors import ContextTooLong


def too_long(decided: Plan, budget: Budget, max_output: int | None) -> ContextTooLong:
    """The brake's answer, with the numbers that led to it."""
    report = decided.report
    if decided.refusal == "system":
        use = report.budget["system"]
        message = (
            f"system text and schemas take {use.used} tokens, over their share of {use.share}; shorten them, or set "
            "on_system_over: report in the policy"
        )
    else:
        room = budget.answer_room(max_output)
        message = (
            f"this request needs {report.forwarded} input tokens and {room} for the answer, over the window of "
            f"{budget.window}, after everything that may leave has left; shorten the newest messages, system text or "
            "tools, or ask for a larger model"
        )
    sections = {name: {"used": use.used, "share": use.share} for name, use in report.budget.items()}
    return ContextTooLong(message, budget={"window": budget.window, "forwarded": report.forwarded, **sections})
