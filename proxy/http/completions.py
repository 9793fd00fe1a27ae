"""Chat completions: the one endpoint whose context is edited, and the plan that would be followed."""

from __future__ import annotations

import time
from collections.abc import Sequence

from aiohttp import web

from policies.edits import Replace
from proxy.context import Degraded
from proxy.continuity import fingerprint
from proxy.errors import ContextTooLong, UpstreamError
from proxy.http import body_log, keys
from proxy.http.asking import Question, question
from proxy.http.headers import ResponseContext, context_headers
from proxy.http.isolating import foreseen, isolated
from proxy.http.limits import SPENDING, spending
from proxy.http.naming import named
from proxy.http.originals import kept_beside, known, spills_kept
from proxy.http.own_keys import judged
from proxy.http.reading_back import answering_upstream, with_exchanges
from proxy.http.recording import Exchange, count_plan, forwarded_tokens, record, told_report
from proxy.http.shortfalls import Shortfalls
from proxy.http.told import told
from proxy.http.tracing import calling
from proxy.retrieval.streamed import StreamedAnswer
from proxy.retrieval.whole import WholeAnswer
from proxy.upstream import Answer, UpstreamCall, Usage
from proxy.upstream.sse import Tail, error_event


async def completions(request: web.Request) -> web.StreamResponse:
    """Answer one chat completion, its context edited to the budget."""
    started, app = time.perf_counter(), request.app
    shortfalls = Shortfalls(app[keys.METRICS].degraded)
    asked = await isolated(request, await question(request), shortfalls)
    asked = await with_exchanges(app, asked, shortfalls)
    exchange = await _edited(request, asked)
    shortfalls.add(*exchange.edited.degraded)
    told(request).exchange = exchange
    async with spending(request, exchange.session, forwarded_tokens(exchange), shortfalls):
        return await _forwarded(request, asked, exchange, shortfalls, started)


async def _forwarded(
    request: web.Request, asked: Question, exchange: Exchange, shortfalls: Shortfalls, started: float
) -> web.StreamResponse:
    """Keep what the plan takes out, call the upstream, answer."""
    app = request.app
    exchange = await spills_kept(app, asked, exchange, shortfalls)
    count_plan(app, exchange)
    keeping = kept_beside(app, exchange, shortfalls)
    metrics, route = app[keys.METRICS], exchange.route
    headers = calling(request, route)
    call = UpstreamCall(route, exchange.edited.body, headers, stream=asked.asked.envelope.stream)
    told(request).overhead_seconds = overhead = time.perf_counter() - started
    metrics.forwarded_after(route.name, overhead)
    with metrics.in_flight(route.name):
        try:
            async with answering_upstream(app, exchange, shortfalls).open(call) as answer:
                metrics.upstream_status(route.name, answer.status)
                await known(judged(app, exchange, answer.status, shortfalls) or keeping)
                if not app[keys.STATE].available:
                    shortfalls.add("state")
                return await _answered(request, exchange, answer, shortfalls, started)
        except UpstreamError as error:
            metrics.upstream_error(route.name, error.kind)
            raise


async def plan(request: web.Request) -> web.Response:
    """The plan and budget report of a request, without a call and without a trace."""
    shortfalls = Shortfalls(lambda _: None)
    asked = await foreseen(request, await question(request), shortfalls)
    asked = await with_exchanges(request.app, asked, shortfalls)
    edited = await request.app[keys.EDITOR].foresee(asked.asked)
    shortfalls.add(*edited.degraded)
    whose = named(request, asked, edited.read)
    return web.json_response(
        {
            "session": whose.session,
            "parent": whose.parent,
            "model": asked.asked.route.name,
            "policy": asked.asked.policy_name,
            "mode": edited.mode,
            "window": asked.asked.route.window,
            **told_report(edited),
            "max_output": edited.plan.max_output,
            "edits": [_told_edit(edit) for edit in edited.plan.edits],
            "degraded": list(shortfalls.found),
        }
    )


async def _edited(request: web.Request, asked: Question) -> Exchange:
    """The request within its budget; a refusal is counted. For a stranger nothing is summarised."""
    app, route = request.app, asked.asked.route
    editor = app[keys.EDITOR]
    try:
        edited = await (editor.edit if app[keys.PROVEN].holds(asked.asked.tenant) else editor.foresee)(asked.asked)
    except ContextTooLong:
        app[keys.METRICS].braked(route.name)
        raise
    whose = named(request, asked, edited.read)
    return Exchange(
        request_id=request[keys.REQUEST_ID],
        tenant=asked.asked.tenant,
        session=whose.session,
        parent=whose.parent,
        route=route,
        policy=asked.asked.policy_name,
        edited=edited,
        history=fingerprint(edited.read.messages, edited.read.envelope.raw("tools")),
    )


async def _answered(
    request: web.Request, exchange: Exchange, answer: Answer, shortfalls: Shortfalls, started: float
) -> web.StreamResponse:
    """Give the answer to the client, and record the exchange whether or not the client stays."""
    headers = {**answer.headers, **context_headers(_context(exchange, shortfalls.found))}
    status, rounds = answer.status, list[Usage]()
    try:
        if answer.is_event_stream:
            response = await _streamed(request, answer, headers, exchange, started)
        else:
            response = await _whole(answer, headers)
        rounds = _rounds(answer)
        return response
    finally:
        facts = told(request)
        facts.exchange, facts.degraded, facts.rounds = exchange, shortfalls.found, rounds
        request[SPENDING].answered(status, rounds)
        request.app[keys.BACKGROUND].start(record(request.app, exchange, shortfalls.found, status, rounds))


def _rounds(answer: Answer) -> list[Usage]:
    """What the calls of one request were billed, in order, as far as the provider said; empty where not even of the
    first, which all figures start from."""
    each = answer.rounds if isinstance(answer, WholeAnswer | StreamedAnswer) else [answer.usage]
    return [usage for usage in each if usage is not None] if each and each[0] is not None else []


async def _whole(answer: Answer, headers: dict[str, str]) -> web.Response:
    """An answer of one piece is sent once it is whole, so that a broken one still becomes a clear error."""
    body = b"".join([chunk async for chunk in answer.chunks()])
    return web.Response(body=body, status=answer.status, headers=headers)


async def _streamed(
    request: web.Request, answer: Answer, headers: dict[str, str], exchange: Exchange, started: float
) -> web.StreamResponse:
    """Events as they come; one that says so where the upstream breaks off."""
    headers |= {"cache-control": "no-cache", "x-accel-buffering": "no"}
    response = web.StreamResponse(status=answer.status, headers=headers)
    await response.prepare(request)
    tail = Tail(4)
    metrics, model = request.app[keys.METRICS], exchange.route.name
    is_first = True
    try:
        async for chunk in answer.chunks():
            await response.write(chunk)
            body_log.gave(request, chunk)
            tail.add(chunk)
            if is_first:
                told(request).first_byte_seconds = passed = time.perf_counter() - started
                metrics.first_byte_after(model, passed)
                is_first = False
    except UpstreamError as error:
        metrics.upstream_error(model, error.kind)
        request[keys.OUTCOME] = error.status
        await response.write(error_event(error, bytes(tail)))
    await response.write_eof()
    return response


def _context(exchange: Exchange, degraded: Sequence[Degraded]) -> ResponseContext:
    """The report as the answer's headers tell it."""
    plan = exchange.edited.plan
    report = plan.report
    removed = report.removed.get
    made = [edit for edit in plan.edits if isinstance(edit, Replace)]
    return ResponseContext(
        session=exchange.session,
        policy=exchange.policy,
        request_id=exchange.request_id,
        received=report.received,
        forwarded=report.forwarded,
        compacted_turns=report.compacted_turns,
        dropped=removed("drop", 0) + removed("isolate", 0) + removed("summary", 0),
        cleared=removed("clear_result", 0) + removed("clear_argument", 0) + removed("stale_read", 0),
        spilled=removed("spill", 0),
        reduced=removed("noise", 0) + removed("repeat", 0) + removed("shorten", 0),
        added=report.added,
        spilled_results=sum(edit.by == "spill" for edit in made),
        repeated_results=sum(edit.by == "repeat" for edit in made),
        repeated_calls=report.repeated_calls,
        batches=report.view,
        output_clamped=plan.max_output,
        summary=exchange.edited.summary,
        budget=[(name, use.used, use.share) for name, use in report.budget.items()],
        degraded=list(degraded),
    )


def _told_edit(edit: object) -> dict[str, object]:
    """An edit as JSON, without the texts: what it is, where, and what it weighs."""
    shown = ("index", "part", "call", "start", "end", "locator", "before", "after", "tokens", "insert", "by")
    return {"kind": type(edit).__name__.lower()} | {name: getattr(edit, name) for name in shown if hasattr(edit, name)}
