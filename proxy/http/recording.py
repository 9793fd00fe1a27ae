"""What a finished exchange leaves behind: metrics at once, the session record beside, never in the way.

One of the three places that catch `Exception`: a record that fails costs a figure, not a request.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from proxy.bill import Bill, Sizes, bill
from proxy.context import Degraded, Edited
from proxy.errors import StoreError
from proxy.http import keys
from proxy.isolation import Isolated
from proxy.metrics import Metrics
from proxy.retrieval.rounds import summed
from proxy.state import RequestRecord
from proxy.upstream import Route, Usage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One completion as its record needs to know it."""

    request_id: str
    tenant: str
    session: str
    parent: str | None
    route: Route
    policy: str
    edited: Edited
    history: str  # the fingerprint that tells histories of one session apart


def forwarded_tokens(exchange: Exchange) -> int:
    """The input that goes upstream, in the model's own tokens, as far as we can count them."""
    return int(exchange.edited.plan.report.forwarded * exchange.route.token_factor)


def count_plan(app: web.Application, exchange: Exchange) -> None:
    """Metrics that are known before the call: what came, what was taken out, why. Raises nothing."""
    with _costs_a_figure(app, exchange):
        _count_plan(app, exchange)


def _count_plan(app: web.Application, exchange: Exchange) -> None:
    metrics, edited, model, tenant = app[keys.METRICS], exchange.edited, exchange.route.name, exchange.tenant
    report = edited.plan.report
    metrics.tokens(model, tenant, {"received": report.received, "forwarded": report.forwarded})
    metrics.edited(model, tenant, report.removed, edited.decided.new_turns)
    for reason in edited.decided.new_batches:
        metrics.batch(model, reason)
    if report.repeated_calls and edited.read.messages[-1].role == "tool":
        metrics.repeated_call(model)
    for section, use in report.budget.items():
        metrics.budget(model, section, use.used, use.share)
    if app[keys.CONTINUITY].broken((tenant, exchange.session, exchange.history, model), edited.read.chain):
        metrics.batch(model, "rewrite")


async def record(
    app: web.Application, exchange: Exchange, degraded: Sequence[Degraded], status: int, rounds: Sequence[Usage]
) -> None:
    """Metrics of the answer, then the session's record; raises nothing.

    `rounds` are what the calls of this request were billed, empty where nobody said. `degraded` are the reasons that
    the answer told, and that are counted already.
    """
    with _costs_a_figure(app, exchange, degraded):
        usage, cost = summed(rounds), _count_usage(app, exchange, rounds) if rounds else None
        if exchange.edited.mode != "off" and app[keys.PROVEN].holds(exchange.tenant):
            await app[keys.SESSIONS].record(exchange.tenant, _record(exchange, degraded, status, usage, cost))


@contextmanager
def _costs_a_figure(app: web.Application, exchange: Exchange, told: Sequence[Degraded] = ()) -> Iterator[None]:
    """What fails in here goes no further; it counts, unless the answer told it."""
    try:
        yield
    except StoreError:
        if "state" not in told:
            app[keys.METRICS].degraded("state")
    except Exception:
        log.exception("a request could not be recorded", extra={"fields": {"request_id": exchange.request_id}})
        app[keys.METRICS].degraded("state")


def _count_usage(app: web.Application, exchange: Exchange, rounds: Sequence[Usage]) -> Bill | None:
    metrics, model, tenant = app[keys.METRICS], exchange.route.name, exchange.tenant
    report, decided = exchange.edited.plan.report, exchange.edited.decided
    for usage in rounds:
        inputs = {"cached": usage.cache_read_tokens, "billed": usage.input_tokens}
        metrics.tokens(model, tenant, inputs, usage.output_tokens)
    metrics.estimated(model, rounds[0].input_tokens, forwarded_tokens(exchange))
    sizes = Sizes(report.received, report.forwarded, decided.untouched_before, decided.sent_before)
    cost = bill(rounds, sizes, exchange.route.prices)
    if cost is not None:
        metrics.cost(model, tenant, cost.billed, cost.untouched)
    return cost


def count_summary(metrics: Metrics, tenant: str, route: Route, usage: Usage) -> None:
    """A call of the summariser: the untouched bill has none."""
    model = route.name
    metrics.tokens(
        model, tenant, {"cached": usage.cache_read_tokens, "billed": usage.input_tokens}, usage.output_tokens
    )
    cost = bill([usage], Sizes(0, 0, 0, 0), route.prices)
    if cost is not None:
        metrics.cost(model, tenant, cost.billed, 0.0)


def _record(
    exchange: Exchange, degraded: Sequence[Degraded], status: int, usage: Usage | None, cost: Bill | None
) -> RequestRecord:
    report = exchange.edited.plan.report
    added: dict[str, int | float] = {
        "requests": 1,
        "received_tokens": report.received,
        "forwarded_tokens": report.forwarded,
    }
    if usage is not None:
        added |= {
            "input_tokens": usage.input_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "output_tokens": usage.output_tokens,
        }
    if cost is not None:
        added |= {"billed_dollars": cost.billed, "untouched_dollars": cost.untouched}
    return RequestRecord(
        session=exchange.session,
        parent=exchange.parent,
        model=exchange.route.name,
        policy=exchange.policy,
        report=_told(exchange, degraded, status, usage),
        added=added,
        history=exchange.history,
    )


def _told(exchange: Exchange, degraded: Sequence[Degraded], status: int, usage: Usage | None) -> dict[str, Any]:
    edited = exchange.edited
    told: dict[str, Any] = {
        "request_id": exchange.request_id,
        "time": time.time(),
        "status": status,
        "mode": edited.mode,
        "history": exchange.history,
        **told_report(edited),
        "degraded": list(degraded),
    }
    if usage is not None:
        told["usage"] = {
            "input_tokens": usage.input_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
            "output_tokens": usage.output_tokens,
        }
    return told


def told_report(edited: Edited) -> dict[str, Any]:
    """A report as JSON, for records and for the plan endpoint."""
    report = edited.plan.report
    return {
        "received_tokens": report.received,
        "forwarded_tokens": report.forwarded,
        "added_tokens": report.added,
        "removed_tokens": dict(report.removed),
        "compacted_turns": report.compacted_turns,
        "repeated_calls": report.repeated_calls,
        "batches": list(report.batches),
        "budget": {name: {"used": use.used, "share": use.share} for name, use in report.budget.items()},
        **({"isolation": _told_isolation(edited.isolated)} if edited.isolated else {}),
    }


def _told_isolation(isolated: Isolated) -> dict[str, Any]:
    """What a sub-agent inherited, and whether it was left out; `task` counts the client's messages from 0."""
    return {
        "task": isolated.task,
        "inherited_messages": isolated.inherited,
        "inherited_tokens": isolated.taken,
        "left_out": isolated.is_stripped,
        "locator": isolated.locator,
    }
