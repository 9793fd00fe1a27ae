"""Keeping: originals of what a plan replaced go to the artifact store, each once in a while.

The conversation itself still holds them, and the client sends it again with every request: so a store that
fails costs a way back over HTTP, never an edit.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from policies.conversation import Conversation
from policies.edits import Drop, Edit, Note, Replace, ReplaceArguments
from proxy.artifacts import Artifacts
from proxy.errors import StoreError
from proxy.metrics import Metrics

log = logging.getLogger(__name__)

REFRESH_SECONDS = 600.0
"""An original known to be kept is offered again after this, so that use refreshes its time to live."""
Place = tuple[str, str, str]  # tenant, session, locator

KNOWN = 100_000
"""How many locators one process remembers as kept."""


@dataclass(frozen=True, slots=True)
class Original:
    """One original: `text()` reads it from the request at hand."""

    locator: str
    kind: str
    text: Callable[[], str]


def originals(edits: Sequence[Edit], conversation: Conversation) -> Iterator[Original]:
    """What the edits took out, each locator once; dropped turns together as lines of JSON."""
    seen: set[str] = set()
    dropped: dict[str, list[int]] = {}
    for edit in edits:
        if isinstance(edit, Note):
            continue
        if isinstance(edit, Drop):
            dropped.setdefault(edit.locator, []).extend(range(edit.start, edit.end))
        elif edit.locator not in seen:
            seen.add(edit.locator)
            yield _replaced(edit, conversation)
    for locator, indices in dropped.items():
        yield Original(locator, "turns", partial(_turns, indices, conversation))


def every_original(conversation: Conversation, locate: Callable[[str, bytes], str]) -> Iterator[Original]:
    """What every result and every call's arguments would be kept as: also those whose turns have left since.

    A summary may quote a marker that stood in what it replaced.
    """
    for index, message in enumerate(conversation.messages):
        for part, tokens in enumerate(message.parts if message.role == "tool" else ()):
            if tokens:
                text = conversation.text(index, part)
                yield Original(locate("result", text.encode()), "result", partial(conversation.text, index, part))
        for position in range(len(message.calls)):
            arguments = conversation.arguments(index, position)
            locator = locate("arguments", arguments.encode())
            yield Original(locator, "arguments", partial(conversation.arguments, index, position))


class Keeper:
    """Remembers what is kept, so that an edit costs the store one write and not one per request."""

    def __init__(self, artifacts: Artifacts, metrics: Metrics, clock: Callable[[], float] = time.monotonic) -> None:
        self._artifacts = artifacts
        self._metrics = metrics
        self._clock = clock
        self._known: OrderedDict[Place, float] = OrderedDict()
        self._is_failing = False

    def unkept(self, tenant: str, session: str, edits: Sequence[Edit], conversation: Conversation) -> list[Original]:
        """The originals that were not offered lately for this session, which refers to them until it is erased."""
        now = self._clock()
        stale = tuple(
            edit
            for edit in edits
            if not isinstance(edit, Note) and self._is_stale((tenant, session, edit.locator), now)
        )
        return list(originals(stale, conversation))

    def forget(self, tenant: str) -> None:
        """Something of the tenant's was erased: offer again what comes up again."""
        for place in [place for place in self._known if place[0] == tenant]:
            del self._known[place]

    def _is_stale(self, place: Place, now: float) -> bool:
        return self._known.get(place, -REFRESH_SECONDS) + REFRESH_SECONDS <= now

    async def keep(self, tenant: str, session: str, unkept: list[Original]) -> bool:
        """Offer them to the store; False if one could not be written."""
        try:
            for original in unkept:
                text = await asyncio.to_thread(original.text)
                stored = await self._artifacts.put(tenant, original.locator, original.kind, text, session)
                self._metrics.artifact("stored" if stored else "refused")
                self._remember((tenant, session, original.locator))
            self._metrics.artifacts_kept(tenant, await self._artifacts.usage_bytes(tenant))
        except StoreError as error:
            self._failed(error)
            return False
        if self._is_failing:
            self._is_failing = False
            log.info("originals are kept again")
        return True

    def _failed(self, error: StoreError) -> None:
        """One log line per change of state."""
        self._metrics.artifact("failed")
        log.log(logging.DEBUG if self._is_failing else logging.WARNING, "an original could not be kept: %s", error)
        self._is_failing = True

    def _remember(self, place: Place) -> None:
        self._known[place] = self._clock()
        self._known.move_to_end(place)
        while len(self._known) > KNOWN:
            self._known.popitem(last=False)


def _replaced(edit: Replace | ReplaceArguments, conversation: Conversation) -> Original:
    if isinstance(edit, Replace):
        return Original(edit.locator, "result", partial(conversation.text, edit.index, edit.part))
    return Original(edit.locator, "arguments", partial(conversation.arguments, edit.index, edit.call))


def _turns(indices: list[int], conversation: Conversation) -> str:
    return "\n".join(conversation.canonical(index) for index in indices)
