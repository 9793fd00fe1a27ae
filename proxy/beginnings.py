"""Where each isolated session began: the one decision of isolation that cannot be made again later.

A sub-agent's own turns pile up behind its task, and a person may speak again; so which user message is the task is
decided at the session's first isolated request and recorded. A record says no more than that this very message, at
this place of this history, is one session's task: there is nothing to overwrite, and whoever comes first or twice
says the same. In front of the store stands the memory of this process. A store that is down costs the record (the
user's last message is the task then), never the request.
"""

from __future__ import annotations

import copy
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from policies.conversation import Message
from proxy.errors import StoreError
from proxy.retrieval.fingerprint import history_of
from proxy.retrieval.records import Records
from proxy.wire.cache import Generations

log = logging.getLogger(__name__)

REFRESH_SECONDS = 600.0
"""A known beginning is asked for again after this, so that use renews its time to live in the store."""
MOST_LOOKED_AT = 1_000
"""Of a history's user messages, the latest so many may be its task."""
_CAPACITY = 100_000
_DIGEST_BYTES = 16


class _Kept(msgspec.Struct, frozen=True):
    """What stands in the store; checked against what was asked for."""

    tenant: str
    key: str


@dataclass(frozen=True, slots=True)
class _Known:
    at: float
    is_kept: bool


_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(_Kept)


def keys_of(session: str, parent: str | None, messages: Sequence[Message], possible: Sequence[int]) -> list[str]:
    """The names of the records that say which of these messages is the task, in their order.

    `session` and `parent` are as the client names them: a sub-agent's own sub-agent, which inherits its task too, is
    told apart by either.
    """
    start = f"{session}\0{parent or ''}\0".encode() + history_of(messages)
    return [
        blake2b(start + index.to_bytes(4) + messages[index].digest, digest_size=_DIGEST_BYTES).hexdigest()
        for index in possible
    ]


class Beginnings:
    """One per process. `on_loss` is told when the store could not be asked or told, or held noise."""

    def __init__(
        self, records: Records, on_loss: Callable[[], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._records = records
        self._on_loss = on_loss
        self._now = now
        self._known: Generations[tuple[str, str], _Known] = Generations(_CAPACITY)

    def for_request(self, on_loss: Callable[[], None]) -> Beginnings:
        """The same memory and store for one request, which wants to be told itself."""
        ours = copy.copy(self)
        ours._on_loss = on_loss
        return ours

    async def find(self, tenant: str, keys: Sequence[str]) -> int | None:
        """The place among these names, in the order of their messages, of the first that is recorded."""
        fresh = next((place for place, key in enumerate(keys) if self._is_fresh(tenant, key)), None)
        if fresh is not None:
            return fresh
        await self._ask(tenant, keys[-MOST_LOOKED_AT:])
        return next((place for place, key in enumerate(keys) if self._known.get((tenant, key))), None)

    async def settle(self, tenant: str, keys: Sequence[str]) -> int:
        """The same, but the last of them where none is recorded; from now on it is."""
        found = await self.find(tenant, keys)
        place = len(keys) - 1 if found is None else found
        if not self._is_fresh(tenant, keys[place]):
            await self._record(tenant, keys[place])
        return place

    async def _record(self, tenant: str, key: str) -> None:
        self._remember(tenant, key, is_kept=False)
        try:
            await self._records.put(tenant, _name(key), _encode(_Kept(tenant, key)))
        except StoreError as error:
            log.debug("where a session began is remembered by this process only: %s", error)
            self._on_loss()
        else:
            self._remember(tenant, key, is_kept=True)

    async def _ask(self, tenant: str, keys: Sequence[str]) -> None:
        try:
            values = await self._records.get(tenant, [_name(key) for key in keys])
        except StoreError as error:
            log.debug("where a session began could not be looked up: %s", error)
            self._on_loss()
            return
        for key, value in zip(keys, values, strict=True):
            self._heard(tenant, key, value)

    def _heard(self, tenant: str, key: str, value: bytes | None) -> None:
        """Take in what the store says of one name."""
        if value is None:
            return
        if _is_sound(tenant, key, value):
            self._remember(tenant, key, is_kept=True)
        else:
            log.warning("where a session began cannot be read in the state store; going on without it")
            self._on_loss()

    def _is_fresh(self, tenant: str, key: str) -> bool:
        known = self._known.get((tenant, key))
        return known is not None and known.is_kept and self._now() < known.at + REFRESH_SECONDS

    def _remember(self, tenant: str, key: str, *, is_kept: bool) -> None:
        self._known.put((tenant, key), _Known(self._now(), is_kept), 1)


def _name(key: str) -> str:
    return f"task:{key}"


def _is_sound(tenant: str, key: str, value: bytes) -> bool:
    try:
        kept = _decoder.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return (kept.tenant, kept.key) == (tenant, key)
