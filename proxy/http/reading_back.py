"""Retrieval around a completion: exchanges into the request, and an upstream that answers calls of our tool."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from aiohttp import web

from proxy.http import keys
from proxy.http.asking import Question
from proxy.http.recording import Exchange
from proxy.outline import outline
from proxy.retrieval.dialogue import Dialogue
from proxy.retrieval.loop import Retrieving
from proxy.retrieval.reading import Reads
from proxy.retrieval.room import room
from proxy.retrieval.sources import Sources
from proxy.upstream import Upstream


async def with_exchanges(app: web.Application, asked: Question) -> Question:
    """The question with our tool offered, where its policy and its form allow it."""
    return replace(asked, asked=await app[keys.ENGINE].carried(asked.asked, app[keys.EXCHANGES]))


def answering_upstream(app: web.Application, exchange: Exchange) -> Upstream:
    """The upstream of a completion: the plain one where our tool is not in the request."""
    edited, route, engine = exchange.edited, exchange.route, app[keys.ENGINE]
    if edited.offer is None:
        return app[keys.UPSTREAM]
    policy = engine.policies[exchange.policy]
    count = engine.count(route.encoding)
    sources = Sources(exchange.tenant, edited.plan.edits, edited.read.conversation, edited.body, app[keys.ARTIFACTS])
    reads = Reads(sources, count, policy.retrieval.page_tokens, outline, app[keys.METRICS].retrieval)
    dialogue = partial(
        Dialogue,
        reads=reads,
        count=count,
        page_tokens=policy.retrieval.page_tokens,
        max_rounds=policy.retrieval.max_rounds,
        room=room(policy, route, edited.plan, edited.read.envelope.max_output),
    )
    return Retrieving(app[keys.UPSTREAM], app[keys.EXCHANGES], edited.offer.place, dialogue)
