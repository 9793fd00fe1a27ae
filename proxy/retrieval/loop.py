"""`Retrieving`: an upstream that answers the model's calls of our tool itself.

To whoever reads the answer it is one answer: one status, one body or stream, one message. Leaving the context ends
whatever is under way: a reading, a further round, a heartbeat.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from proxy.retrieval.dialogue import Dialogue
from proxy.retrieval.exchanges import Exchanges
from proxy.retrieval.fingerprint import Place
from proxy.retrieval.rounds import Rounds
from proxy.retrieval.streamed import StreamedAnswer
from proxy.retrieval.whole import WholeAnswer, whole
from proxy.upstream import Answer, Upstream, UpstreamCall

HEARTBEAT_SECONDS = 5.0


class Retrieving:
    """An Upstream for one request. `place` is where the client's next message will stand; `dialogue` makes the
    dialogue of a call."""

    def __init__(
        self,
        upstream: Upstream,
        exchanges: Exchanges,
        place: Place,
        dialogue: Callable[[UpstreamCall], Dialogue],
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
    ) -> None:
        self._upstream = upstream
        self._exchanges = exchanges
        self._place = place
        self._dialogue = dialogue
        self._heartbeat = heartbeat_seconds

    @asynccontextmanager
    async def open(self, call: UpstreamCall) -> AsyncIterator[Answer]:
        """The answer after all rounds; a stream that goes on over all of them."""
        rounds = Rounds(self._upstream)
        dialogue = self._dialogue(call)
        try:
            first = await rounds.open(call)
            if not first.is_event_stream or first.status >= 300:
                yield await self._whole(rounds, first, dialogue)
                return
            streamed = StreamedAnswer(rounds, first, dialogue, self._exchanges, self._place, heartbeat=self._heartbeat)
            try:
                yield streamed
            finally:
                await streamed.close()
        finally:
            await rounds.close()

    async def _whole(self, rounds: Rounds, first: Answer, dialogue: Dialogue) -> WholeAnswer:
        return await whole(rounds, first, dialogue, self._exchanges, self._place)
