"""Isolation around a completion: where its sub-agent's task stands, and the request without what was inherited."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from aiohttp import web

from policies.isolation import possible_tasks
from proxy.beginnings import Beginnings, keys_of
from proxy.http import keys
from proxy.http.asking import Question
from proxy.http.naming import session_as_sent
from proxy.http.shortfalls import Shortfalls

OFF_LOOP_BYTES = 1_000_000
"""A longer body is cut in a thread: some milliseconds of work."""

Find = Callable[[Beginnings, str, Sequence[str]], Awaitable[int]]


async def isolated(request: web.Request, asked: Question, shortfalls: Shortfalls) -> Question:
    """The question as its sub-agent's own, where it asks for that; from now on its task is known.

    A record that cannot be had or made is a shortfall. Raises RequestError for what the client sent.
    """
    return await _isolated(request, asked, shortfalls, Beginnings.settle)


async def foreseen(request: web.Request, asked: Question, shortfalls: Shortfalls) -> Question:
    """What `isolated` would answer now; leaves no trace."""
    return await _isolated(request, asked, shortfalls, _foreseen)


async def _foreseen(beginnings: Beginnings, tenant: str, names: Sequence[str]) -> int:
    found = await beginnings.find(tenant, names)
    return len(names) - 1 if found is None else found


async def _isolated(request: web.Request, asked: Question, shortfalls: Shortfalls, find: Find) -> Question:
    engine, one = request.app[keys.ENGINE], asked.asked
    if not asked.isolates or (one.mode or engine.policies[one.policy_name].mode) == "off":
        return asked
    read = await engine.met(one)
    possible = possible_tasks(read.messages)
    if not possible:
        return asked
    names = keys_of(session_as_sent(request, read), asked.parent, read.messages, possible)
    beginnings = request.app[keys.BEGINNINGS].for_request(partial(shortfalls.add, "state"))
    task = possible[await find(beginnings, one.tenant, names)]
    if len(one.envelope.body) > OFF_LOOP_BYTES:
        return replace(asked, asked=await asyncio.to_thread(engine.isolated, one, read, task))
    return replace(asked, asked=engine.isolated(one, read, task))
