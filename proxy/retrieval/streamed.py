"""Rounds as streams: the client reads one answer that goes on, and nothing of our calls.

Everything that a round says passes at once, but for our calls, its end and its usage: whether it was the last round
is known only once it is over. A stream in which we have no part passes byte for byte.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping

from proxy.errors import UpstreamError
from proxy.retrieval.dialogue import Dialogue
from proxy.retrieval.events import Events
from proxy.retrieval.exchanges import Exchanges
from proxy.retrieval.failed import RoundRefused
from proxy.retrieval.fingerprint import Place, fingerprint
from proxy.retrieval.heard import Heard
from proxy.retrieval.heartbeat import beating
from proxy.retrieval.rounds import Rounds, summed
from proxy.upstream import Answer, Usage


class StreamedAnswer:
    """One stream over all rounds. `usage` is what all of them are billed, `rounds` what each was."""

    is_event_stream = True

    def __init__(
        self, rounds: Rounds, first: Answer, dialogue: Dialogue, exchanges: Exchanges, place: Place, *, heartbeat: float
    ) -> None:
        self.status = first.status
        self.headers: Mapping[str, str] = first.headers
        self._rounds = rounds
        self._answer = first
        self._dialogue = dialogue
        self._exchanges = exchanges
        self._place = place
        self._heard = Heard(dialogue)
        self._chunks = beating(self._all_rounds(), heartbeat, lambda: self._heard.is_between)

    @property
    def usage(self) -> Usage | None:
        return summed(self.rounds)

    @property
    def rounds(self) -> list[Usage | None]:
        return self._rounds.usages

    def chunks(self) -> AsyncIterator[bytes]:
        """Events, whole. Raises UpstreamError where a round breaks off or is refused, after what came."""
        return self._chunks

    async def close(self) -> None:
        """Stop whatever is under way."""
        await self._chunks.aclose()

    async def _all_rounds(self) -> AsyncGenerator[bytes, None]:
        while True:
            events = Events()
            async for chunk in self._answer.chunks():
                yield b"".join(self._passed(events.feed(chunk)))
            yield b"".join(self._passed(filter(None, [events.rest()])))
            said = self._heard.said()
            if not self._heard.has_failed and self._dialogue.after(said) == "again":
                await self._open_next()
                continue
            if not self._heard.has_failed:
                exchange = await self._dialogue.ended(said)
                await self._exchanges.record(self._place, fingerprint(self._heard.told()), exchange)
            yield self._heard.end()
            return

    def _passed(self, events: Iterator[bytes]) -> Iterator[bytes]:
        return (self._heard.hear(event) for event in events)

    async def _open_next(self) -> None:
        call = await self._dialogue.go_on(self._heard.said())
        answer = self._answer = await self._rounds.open(call)
        if answer.status >= 300:
            raise RoundRefused(answer.status, b"".join([chunk async for chunk in answer.chunks()]))
        if not answer.is_event_stream:
            raise UpstreamError("the provider stopped streaming in the middle of a turn", kind="provider")
        self._heard.next_round()
