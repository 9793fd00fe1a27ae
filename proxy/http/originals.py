"""What a plan takes out is kept: new spills before the call, all else beside it.

A result is replaced by a preview only once its original is safely stored, so that write is waited for, though not
for long. What older messages lose the client sends again with every request: its write holds up nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from aiohttp import web

from proxy.context import TakenOut, newest_spills
from proxy.http import keys
from proxy.http.asking import Question
from proxy.http.recording import Exchange
from proxy.http.shortfalls import Shortfalls

SPILLING_SECONDS = 2.5
"""How long a call waits until the originals of its new spills are kept; a little more than one write may take."""

KEEPING_SECONDS = 0.25
"""How long an answer that is ready waits to learn whether the other originals were kept."""


async def spills_kept(app: web.Application, asked: Question, exchange: Exchange, shortfalls: Shortfalls) -> Exchange:
    """The exchange with its new spills kept; with the results whole again where that failed or took too long."""
    spills = newest_spills(exchange.edited)
    taken: TakenOut = (spills, exchange.edited.read.conversation)
    if (
        not spills
        or not app[keys.PROVEN].holds(exchange.tenant)
        or await _is_kept(_keeping(app, exchange, [taken]), SPILLING_SECONDS)
    ):
        return exchange
    shortfalls.add("artifacts")
    return replace(exchange, edited=app[keys.ENGINE].inlined(asked.asked, exchange.edited))


def kept_beside(app: web.Application, exchange: Exchange, shortfalls: Shortfalls) -> asyncio.Task[bool] | None:
    """Start to keep what the plan took out; a failure is a shortfall, also where it shows after the answer.

    A store that has just failed this request is not asked again: the next request offers the same originals.
    """
    taken = exchange.edited.taken_out
    if (
        not any(edits for edits, _ in taken)
        or "artifacts" in shortfalls.found
        or not app[keys.PROVEN].holds(exchange.tenant)
    ):
        return None
    task = _keeping(app, exchange, taken)
    if task is None:
        shortfalls.add("artifacts")
        return None

    def finished(task: asyncio.Task[bool]) -> None:
        if not _succeeded(task):
            shortfalls.add("artifacts")

    task.add_done_callback(finished)
    return task


async def known(keeping: asyncio.Task[bool] | None) -> None:
    """Give the store a moment, so that the answer itself can tell of a failure."""
    if keeping is not None:
        await asyncio.wait({keeping}, timeout=KEEPING_SECONDS)


def _keeping(app: web.Application, exchange: Exchange, taken: Sequence[TakenOut]) -> asyncio.Task[bool] | None:
    """A task of its own, which a client that leaves does not stop; None where too much is under way."""
    return app[keys.BACKGROUND].start(_kept(app, exchange, taken))


async def _kept(app: web.Application, exchange: Exchange, taken: Sequence[TakenOut]) -> bool:
    keeper = app[keys.KEEPER]
    unkept = [
        original
        for edits, conversation in taken
        for original in keeper.unkept(exchange.tenant, exchange.session, edits, conversation)
    ]
    return not unkept or await keeper.keep(exchange.tenant, exchange.session, unkept)


async def _is_kept(task: asyncio.Task[bool] | None, seconds: float) -> bool:
    if task is None:
        return False
    await asyncio.wait({task}, timeout=seconds)
    return task.done() and _succeeded(task)


def _succeeded(task: asyncio.Task[bool]) -> bool:
    return not task.cancelled() and task.exception() is None and task.result()
