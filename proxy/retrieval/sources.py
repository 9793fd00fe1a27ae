"""What a locator stands for: first an original in the request at hand, then one in the artifact store.

The request itself holds what its plan took out, so reading inside a conversation needs no store. A locator that can
no longer be resolved is the tenant's own, and expired, where a marker of ours in this very request names it; every
other is unknown, whether it was never made or is somebody else's.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from policies.conversation import Conversation
from policies.edits import Edit
from proxy.artifacts import Artifacts
from proxy.errors import StoreError
from proxy.keeping import Original, every_original, originals
from proxy.retrieval.readable import readable

Missing = Literal["unknown", "expired", "gone", "failed"]


class NotHere(LookupError):
    """There is no original under this locator; `why` decides what the model is told."""

    def __init__(self, why: Missing) -> None:
        super().__init__(why)
        self.why: Missing = why


@dataclass(frozen=True, slots=True)
class Sources:
    """The originals that one request may read. `body` is that request as it goes upstream, markers and all; `locate`
    names originals.

    `inherited` is what a sub-agent's request was sent with and goes without.
    """

    tenant: str
    edits: tuple[Edit, ...]
    conversation: Conversation
    body: bytes
    artifacts: Artifacts
    locate: Callable[[str, bytes], str]
    inherited: tuple[Original, ...] = ()

    async def text(self, locator: str) -> str:
        """The whole original, as a model reads it; NotHere where there is none."""
        for original in (*self.inherited, *originals(self.edits, self.conversation)):
            if original.locator == locator:
                return await asyncio.to_thread(_read, original)
        found = await asyncio.to_thread(self._among_all, locator)
        if found is not None:
            return found
        kept = await _kept(self.artifacts, self.tenant, locator)
        if kept is None:
            raise NotHere("expired" if is_marked(self.body, locator) else "unknown")
        return kept

    def _among_all(self, locator: str) -> str | None:
        """An original whose turn has left, or that stands whole again."""
        every = every_original(self.conversation, self.locate)
        return next((_read(original) for original in every if original.locator == locator), None)


@dataclass(frozen=True, slots=True)
class Stored:
    """The originals for who asks without a request at hand: what the store keeps for the tenant. Unknown, foreign and
    expired are all `gone`."""

    tenant: str
    artifacts: Artifacts

    async def text(self, locator: str) -> str:
        """The whole original, as a model reads it; NotHere where there is none."""
        kept = await _kept(self.artifacts, self.tenant, locator)
        if kept is None:
            raise NotHere("gone")
        return kept


async def _kept(artifacts: Artifacts, tenant: str, locator: str) -> str | None:
    try:
        artifact = await artifacts.get(tenant, locator)
    except StoreError:
        raise NotHere("failed") from None
    return None if artifact is None else readable(artifact.kind, artifact.text)


def _read(original: Original) -> str:
    return readable(original.kind, original.text())


def is_marked(body: bytes, locator: str) -> bool:
    """Whether a marker in this body names the locator. Anyone can write such a text: it only chooses between two
    sentences, and says nothing of other tenants."""
    return re.search(rb"\[Forebay: [^\]]{0,600}?" + locator.encode() + rb"\b", body) is not None
