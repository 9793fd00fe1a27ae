"""The rounds of one request as the model sees them: its calls of our tool, our answers, and where it ends.

At most `max_rounds` rounds are answered. A model that asks once more is told that it is enough, and the call after
that goes out without our definition, so that it cannot ask: dearer for the provider's cache than forbidding all calls,
but an agent must remain able to act, and it happens to a model that has been told to stop and did not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, Protocol

from proxy.retrieval.exchange import Exchange, exchange
from proxy.retrieval.merging import merged
from proxy.retrieval.spoken import SEPARATOR, Spoken, arguments_of, name_of, result
from proxy.retrieval.tool import without_tool
from proxy.upstream import UpstreamCall
from proxy.wire.spans import object_spans

ENOUGH = "No more is read in this turn. Go on with what is there; later turns can read again."
TOO_MANY = "Not read: too many calls at once. Ask again for what is still needed."
MOST_CALLS = 8
LEAST_ROOM = 200
"""With fewer tokens than this left in the window for an answer of ours, none is given."""

Next = Literal["again", "mixed", "final"]


class Answering(Protocol):
    """Answers one call from its arguments, in about `limit` tokens at most."""

    async def answer(self, arguments: str, limit: int) -> str: ...


class Dialogue:
    """The growing request. `answers` are our tools in it, by name, and what answers their calls.

    `room` is what may be added to it, in counted tokens; None where nobody knows a window.
    """

    def __init__(
        self,
        call: UpstreamCall,
        answers: Mapping[str, Answering],
        count: Callable[[str], int],
        *,
        page_tokens: int,
        max_rounds: int,
        room: int | None,
    ) -> None:
        self.rounds = 0
        self.tools = frozenset(answers)
        self._call = call
        self._answers = answers
        self._count = count
        self._page_tokens = page_tokens
        self._max_rounds = max_rounds
        self._room = room
        self._is_closing = False
        self._added: list[bytes] = []
        self._earlier: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """What the client has been told so far in earlier rounds."""
        told = self._earlier.get("content")
        return told if isinstance(told, str) else ""

    @property
    def separator(self) -> str:
        """What stands between that and the next round's text."""
        return SEPARATOR if self.text else ""

    def after(self, said: Spoken) -> Next:
        """What follows from what the model said: another round, the client's turn with an answer of ours, the end."""
        if not said.ours or said.is_cut or self._is_closing:
            return "final"
        return "mixed" if said.theirs else "again"

    async def go_on(self, said: Spoken) -> UpstreamCall:
        """Answer the calls; the request of the next round."""
        is_over = self._is_over(said)
        results = await self._results(said, is_over)
        self._is_closing = is_over
        self._added += [said.message(), *results]
        self._remember(said)
        self.rounds += 1
        return replace(self._call, body=self._body())

    async def ended(self, said: Spoken) -> Exchange | None:
        """What the client's next request must carry beside the message it got; None where it saw everything."""
        results = await self._results(said, self._is_over(said)) if self.after(said) == "mixed" else []
        if not results and not self._added:
            return None
        return exchange(self._added, self._seen_before(), said if results else None, results)

    def _is_over(self, said: Spoken) -> bool:
        if self._room is not None:
            self._room -= self._count(said.message().decode())
        limit = self._limit(len(said.ours))
        return self.rounds >= self._max_rounds or limit < min(LEAST_ROOM, self._page_tokens)

    async def _results(self, said: Spoken, is_over: bool) -> list[bytes]:
        told: list[bytes] = []
        for number, call in enumerate(said.ours):
            if is_over or number >= MOST_CALLS:
                text = ENOUGH if is_over else TOO_MANY
            else:
                left = min(len(said.ours), MOST_CALLS) - number
                text = await self._answers[name_of(call)].answer(arguments_of(call), self._limit(left))
            if self._room is not None:
                self._room -= self._count(text)
            told.append(result(call, text))
        return told

    def _limit(self, calls: int) -> int:
        """What one of so many answers may take."""
        return self._page_tokens if self._room is None else min(self._page_tokens, self._room // max(calls, 1))

    def _remember(self, said: Spoken) -> None:
        """Fields that a client puts together over all rounds: later each round gets back its own part."""
        for name, value in said.fields.items():
            if isinstance(value, str) and name == "content" and value:
                self._earlier[name] = self.text + self.separator + value
            elif isinstance(value, str | list) and value:
                self._earlier[name] = merged(self._earlier.get(name), value, name)

    def _seen_before(self) -> dict[str, Any]:
        return {name: value + SEPARATOR if name == "content" and isinstance(value, str) else value
                for name, value in self._earlier.items()}  # fmt: skip

    def _body(self) -> bytes:
        body = self._call.body
        start, end = object_spans(body)["messages"]
        place = start + len(body[start : end - 1].rstrip(b" \t\r\n"))
        grown = body[:place] + b"".join(b"," + message for message in self._added) + body[place:]
        return without_tool(grown, self.tools) if self._is_closing else grown
