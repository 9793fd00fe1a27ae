"""How much may be read into a request without crowding out its answer."""

from __future__ import annotations

from policies.budget import budget_for
from policies.plan import Plan
from policies.schema import Policy
from proxy.upstream import Route


def room(policy: Policy, route: Route, plan: Plan, asked_output: int | None) -> int | None:
    """All of the window but the request as it goes and what its answer needs; None where nobody knows the window.

    `asked_output` is the client's own maximum.
    """
    if route.window is None:
        return None
    budget = budget_for(policy, route.window, route.window_includes_output, route.token_factor)
    answer = budget.answer_room(plan.max_output or asked_output) or budget.reserve // 4
    return budget.window - plan.report.forwarded - answer
