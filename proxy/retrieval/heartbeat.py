"""A sign of life while the client would hear nothing: an SSE comment, which every parser skips."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

PING = b": ping\n\n"


async def beating(
    source: AsyncGenerator[bytes, None], seconds: float, is_waiting: Callable[[], bool]
) -> AsyncGenerator[bytes, None]:
    """What `source` yields, and a ping after each `seconds` of silence while `is_waiting()`.

    `source` yields whole events, so that a ping stands between them; empty bytes stand for an event that nobody
    sees. Leaving early cancels what `source` is doing and closes it.
    """
    try:
        while True:
            if not is_waiting():
                chunk = await anext(source, None)
            else:
                step = asyncio.create_task(_next(source))
                try:
                    while not (await asyncio.wait({step}, timeout=seconds))[0]:
                        yield PING
                finally:
                    await _ended(step)
                chunk = step.result()
            if chunk is None:
                return
            if chunk:
                yield chunk
    finally:
        await source.aclose()


async def _next(source: AsyncGenerator[bytes, None]) -> bytes | None:
    return await anext(source, None)


async def _ended(step: asyncio.Task[bytes | None]) -> None:
    """Cancel the step if it is still under way, and wait until it has ended."""
    if not step.done():
        step.cancel()
        with suppress(asyncio.CancelledError):
            await step
