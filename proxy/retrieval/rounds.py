"""The upstream calls of one request, one open at a time, and what the provider counted for each."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import fields

from proxy.upstream import Answer, Upstream, UpstreamCall, Usage


class Rounds:
    """Opens calls; each closes the one before. `close()` at the end, whatever happened."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._stack = AsyncExitStack()
        self._open: Answer | None = None
        self._past: list[Usage | None] = []

    async def open(self, call: UpstreamCall) -> Answer:
        """The answer to the next call. Raises what the upstream raises."""
        await self.close()
        self._open = await self._stack.enter_async_context(self._upstream.open(call))
        return self._open

    async def close(self) -> None:
        """Close the call that is open, so that the provider stops."""
        if self._open is not None:
            self._past.append(self._open.usage)
            self._open = None
        await self._stack.aclose()

    @property
    def usages(self) -> list[Usage | None]:
        """What was counted in each round so far."""
        return [*self._past, *([self._open.usage] if self._open is not None else [])]


def summed(usages: Iterable[Usage | None]) -> Usage | None:
    """What all rounds together are billed; None where no round was counted."""
    known = [usage for usage in usages if usage is not None]
    if not known:
        return None
    return Usage(*(sum(getattr(usage, each.name) for usage in known) for each in fields(Usage)))
