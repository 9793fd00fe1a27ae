"""Rounds whose answers come in one piece: the client gets the last one, with the texts of all."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from proxy.errors import UpstreamError
from proxy.retrieval.dialogue import Dialogue
from proxy.retrieval.exchanges import Exchanges
from proxy.retrieval.fingerprint import Place, fingerprint
from proxy.retrieval.rounds import Rounds, summed
from proxy.retrieval.spoken import Spoken, spoken
from proxy.upstream import Answer, Usage


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """The answer after all rounds. `usage` is what all of them are billed, `rounds` what each was."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    rounds: list[Usage | None]
    is_event_stream: bool = False

    @property
    def usage(self) -> Usage | None:
        return summed(self.rounds)

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body."""
        yield self.body


async def whole(rounds: Rounds, answer: Answer, dialogue: Dialogue, exchanges: Exchanges, place: Place) -> WholeAnswer:
    """Read answers and go on until the model calls nothing of ours; record what the client does not see."""
    first_id: Any = None
    while True:
        if answer.is_event_stream and dialogue.rounds:
            raise UpstreamError("the provider began to stream in the middle of a turn", kind="provider")
        body = b"".join([chunk async for chunk in answer.chunks()])
        completion = _completion(body) if answer.status < 300 else None
        if completion is None:  # an error, or nothing that could hold a call: passed on as it is
            return WholeAnswer(answer.status, answer.headers, body, rounds.usages)
        first_id = first_id or completion.get("id")
        choice = completion["choices"][0]
        said = spoken(choice["message"], choice.get("finish_reason"), dialogue.rounds, dialogue.tools)
        if dialogue.after(said) == "again":
            call = await dialogue.go_on(said)
            answer = await rounds.open(call)
            continue
        exchange = await dialogue.ended(said)
        if dialogue.rounds or said.ours:
            _hide(completion, said, dialogue, first_id)
            body = _encoded(completion)
        await exchanges.record(place, fingerprint(choice["message"]), exchange)
        return WholeAnswer(answer.status, answer.headers, body, rounds.usages)


def _completion(body: bytes) -> dict[str, Any] | None:
    """A completion with a message in its first choice; None for anything else."""
    try:
        completion = json.loads(body)
    except (ValueError, RecursionError):
        return None
    match completion:
        case {"choices": [{"message": dict()}, *_]}:
            return dict(completion)
        case _:
            return None


def _hide(completion: dict[str, Any], said: Spoken, dialogue: Dialogue, id_: Any) -> None:
    """Make the last round's answer the client's: without our calls, its text behind those of the rounds before."""
    choice = completion["choices"][0]
    message = choice["message"]
    text = message.get("content")
    if isinstance(text, str) and text:
        message["content"] = dialogue.text + dialogue.separator + text
    elif not text and dialogue.text:
        message["content"] = dialogue.text
    if said.theirs:
        message["tool_calls"] = said.theirs
    elif message.pop("tool_calls", None) and choice.get("finish_reason") == "tool_calls":
        choice["finish_reason"] = "stop"
    if id_ is not None:
        completion["id"] = id_


def _encoded(completion: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(completion)
    except UnicodeEncodeError:
        return json.dumps(completion).encode()
