"""Whether a history continues the one before it in its session, or was rewritten by the client.

A session can carry several histories (a title request, a sub-agent); a fingerprint of system text and tools tells
them apart. Kept in memory, for a metric only.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

from policies.conversation import Message

REMEMBERED = 10_000


def fingerprint(messages: Sequence[Message], tools: bytes) -> str:
    """Twelve hex digits that tell one agent's histories from another's."""
    digest = blake2b(tools, digest_size=6)
    for message in messages:
        if message.role != "system":
            break
        digest.update(message.digest)
    return digest.hexdigest()


class Continuity:
    """The latest history of each tenant, session, fingerprint and model, by digest."""

    def __init__(self) -> None:
        self._latest: OrderedDict[tuple[str, ...], tuple[int, bytes]] = OrderedDict()

    def broken(self, key: tuple[str, ...], chain: Sequence[bytes]) -> bool:
        """Whether this history departs from the latest one before its last message; remembers it in any case."""
        latest = self._latest.pop(key, None)
        self._latest[key] = (max(len(chain) - 1, 0), chain[-2] if len(chain) > 1 else b"")
        if len(self._latest) > REMEMBERED:
            self._latest.popitem(last=False)
        if latest is None or latest[0] == 0:
            return False
        length, digest = latest
        return len(chain) < length or chain[length - 1] != digest
