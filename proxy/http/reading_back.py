"""Retrieval around a completion: exchanges into the request, and an upstream that answers calls of our tools."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial

from aiohttp import web

from proxy.errors import RequestError
from proxy.http import keys
from proxy.http.asking import Question
from proxy.http.recording import Exchange
from proxy.http.shortfalls import Shortfalls
from proxy.outline import outline
from proxy.retrieval.dialogue import Answering, Dialogue
from proxy.retrieval.loop import Retrieving
from proxy.retrieval.reading import Reads
from proxy.retrieval.room import room
from proxy.retrieval.sources import Sources
from proxy.retrieval.tool import CODE_NAME, NAME
from proxy.upstream import Upstream
from proxy.workspaces import Symbols

log = logging.getLogger(__name__)


async def with_exchanges(app: web.Application, asked: Question, shortfalls: Shortfalls) -> Question:
    """The question with our tools offered, where its policy and its form allow it.

    Exchanges that cannot be looked up, or that make no request, are left out: a shortfall. Raises RequestError for
    what the client sent.
    """
    engine, missing = app[keys.ENGINE], partial(shortfalls.add, "state")
    try:
        return replace(asked, asked=await engine.carried(asked.asked, app[keys.EXCHANGES].for_request(missing)))
    except RequestError as error:
        bare = await asyncio.to_thread(engine.carried_here, asked.asked, {})  # raises again if it is the client's own
        log.warning("recorded exchanges make a bad request (%s); going on without them", error)
        missing()
        return replace(asked, asked=bare)


def answering_upstream(app: web.Application, exchange: Exchange, shortfalls: Shortfalls) -> Upstream:
    """The upstream of a completion: the plain one where no tool of ours is in the request."""
    edited, route, engine = exchange.edited, exchange.route, app[keys.ENGINE]
    if edited.offer is None:
        return app[keys.UPSTREAM]
    policy = engine.policies[exchange.policy]
    count, page_tokens, told = engine.count(route.encoding), policy.retrieval.page_tokens, app[keys.METRICS].retrieval
    sources = Sources(
        exchange.tenant,
        edited.plan.edits,
        edited.read.conversation,
        edited.body,
        app[keys.ARTIFACTS],
        engine.locate(exchange.tenant),
        inherited=edited.isolated.originals if edited.isolated else (),
    )
    answers: dict[str, Answering] = {
        NAME: Reads(sources, count, page_tokens, outline, told),
        CODE_NAME: Symbols(app[keys.WORKSPACES], exchange.tenant, count, page_tokens, told),
    }
    dialogue = partial(
        Dialogue,
        answers={name: answers[name] for name in edited.offer.tools},
        count=count,
        page_tokens=page_tokens,
        max_rounds=policy.retrieval.max_rounds,
        room=room(policy, route, edited.plan, edited.read.envelope.max_output),
    )
    exchanges = app[keys.EXCHANGES].for_request(partial(shortfalls.add, "state"))
    return Retrieving(app[keys.UPSTREAM], exchanges, edited.offer.place, dialogue)
