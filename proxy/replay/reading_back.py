"""A model that lacks something and reads it back: the calls it would make, answered as the proxy answers them.

Recorded models never had our tool. What one of them relied on, and no longer stood in its context, it would have
had to fetch: one call for each original that holds it, one after the other, each a request of its own that the
provider bills. What is read stays in the history as the proxy keeps it, and is in every later request's bill.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from policies.schema import Policy
from proxy.artifacts import Artifact
from proxy.context import Edited
from proxy.outline import outline
from proxy.replay.evidence import items
from proxy.retrieval.dialogue import Dialogue
from proxy.retrieval.exchange import Exchange
from proxy.retrieval.reading import Reads
from proxy.retrieval.room import room
from proxy.retrieval.sources import Sources
from proxy.retrieval.spoken import Spoken
from proxy.retrieval.tool import NAME
from proxy.upstream import Route, UpstreamCall


class NoArtifacts:
    """A store that holds nothing: in a replay everything is read from the request at hand."""

    async def put(self, tenant: str, locator: str, kind: str, text: str, session: str) -> bool:
        """Nothing is kept."""
        return False

    async def get(self, tenant: str, locator: str) -> Artifact | None:
        """Nothing is there."""
        return None

    async def erase(self, tenant: str, locator: str) -> bool:
        """There is nothing to erase."""
        return False

    async def erase_session(self, tenant: str, session: str) -> int:
        """There is nothing to erase."""
        return 0

    async def usage_bytes(self, tenant: str) -> int:
        """Nothing is taken up."""
        return 0


@dataclass(frozen=True, slots=True)
class Read:
    """One round: `body` is the request that follows the call, `call_tokens` what the model wrote to make it.

    `result` is what became of the reading; `is_first_page_enough` whether what the model lacked stands in the page.
    """

    body: bytes
    call_tokens: int
    result: str
    is_first_page_enough: bool


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The rounds of one request, and the exchange that later requests carry."""

    rounds: tuple[Read, ...]
    exchange: Exchange


def read_back(
    edited: Edited,
    wanted: Mapping[str, frozenset[str]],
    *,
    route: Route,
    policy: Policy,
    count: Callable[[str], int],
    tenant: str,
    locate: Callable[[str, bytes], str],
) -> ReadBack | None:
    """Fetch what is `wanted`, by locator, in the rounds that the policy allows; None where nothing is fetched."""
    sources = Sources(tenant, edited.plan.edits, edited.read.conversation, edited.body, NoArtifacts(), locate)
    heard = _Heard(sources, policy.retrieval.page_tokens, count)
    dialogue = Dialogue(
        UpstreamCall(route, edited.body, {}, stream=False),
        {NAME: heard},
        count,
        page_tokens=policy.retrieval.page_tokens,
        max_rounds=policy.retrieval.max_rounds,
        room=room(policy, route, edited.plan, edited.read.envelope.max_output),
    )
    rounds = asyncio.run(_rounds(dialogue, wanted, policy.retrieval.max_rounds, heard))
    exchange = asyncio.run(dialogue.ended(Spoken({}, (), "stop")))
    return ReadBack(tuple(rounds), exchange) if exchange is not None else None


class _Heard:
    """Answers as the proxy does, and remembers what it said and what the metrics were told."""

    def __init__(self, sources: Sources, page_tokens: int, count: Callable[[str], int]) -> None:
        self._reads = Reads(sources, count, page_tokens, outline, self._told)
        self.count = count
        self.text = ""
        self.result = ""

    def _told(self, _by: str, result: str) -> None:
        self.result = result

    async def answer(self, arguments: str, limit: int) -> str:
        """The page."""
        self.text = await self._reads.answer(arguments, limit)
        return self.text


async def _rounds(dialogue: Dialogue, wanted: Mapping[str, frozenset[str]], most: int, heard: _Heard) -> list[Read]:
    """One round for each original until the window has no room for another page."""
    rounds: list[Read] = []
    for locator, call in _calls(wanted, most):
        said = Spoken({}, (call,), "tool_calls")
        heard.text, heard.result = "", "refused"
        following = await dialogue.go_on(said)
        is_enough = wanted[locator] <= items(heard.text)
        rounds.append(Read(following.body, heard.count(said.message().decode()), heard.result, is_enough))
        if heard.result == "refused":
            break
    return rounds


def _calls(wanted: Mapping[str, frozenset[str]], most: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls that search each original for what is lacking, the one that holds most of it first."""
    for number, (locator, lacked) in enumerate(list(wanted.items())[:most]):
        pattern = "|".join(re.escape(item) for item in sorted(lacked))
        arguments = json.dumps({"locator": locator, "grep": pattern})
        function = {"name": NAME, "arguments": arguments}
        yield locator, {"id": f"call_read_{number}", "type": "function", "function": function}
