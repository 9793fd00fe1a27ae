"""Exchanges from request to request: recorded before an answer ends, found again in the history that comes back.

In front of the store stands the memory of this process, which also knows what has no exchange: a message that went
out through this process, or was asked for once, costs the store nothing more. A store that is down costs the
exchange (the history then goes on without it, one batch), never the request; the store's own log says so once.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from proxy.errors import StoreError
from proxy.retrieval.exchange import Exchange
from proxy.retrieval.fingerprint import Place, fingerprint, history_of
from proxy.retrieval.records import Records
from proxy.wire.cache import Generations
from proxy.wire.reader import Read

log = logging.getLogger(__name__)

REFRESH_SECONDS = 600.0
"""A known exchange is asked for again after this, so that use renews its time to live in the store."""
_CAPACITY_BYTES = 64_000_000
_NOTHING_BYTES = 250
_PRINT_BYTES = 250
_PRINTS_BYTES = 16_000_000
_OFF_LOOP_BYTES = 48 * 1024


class _Kept(msgspec.Struct, frozen=True):
    """What stands in the store; checked against what was asked for."""

    tenant: str
    key: str
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class _Known:
    exchange: Exchange | None
    at: float


_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(_Kept)


class Exchanges:
    """One per process. `on_loss` is told when the store could not be asked or told, or held noise."""

    def __init__(
        self, records: Records, on_loss: Callable[[], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._records = records
        self._on_loss = on_loss
        self._now = now
        self._known: Generations[tuple[str, str], _Known] = Generations(_CAPACITY_BYTES)
        self._prints: Generations[bytes, bytes | None] = Generations(_PRINTS_BYTES)

    def for_request(self, on_loss: Callable[[], None]) -> Exchanges:
        """The same memory and store for one request, which wants to be told itself."""
        ours = copy.copy(self)
        ours._on_loss = on_loss
        return ours

    async def record(self, place: Place, print_: bytes | None, exchange: Exchange | None) -> None:
        """Remember what belongs to the message that is about to reach the client; None that nothing does."""
        if print_ is None:
            return
        key = place.key(print_)
        self._remember(place.tenant, key, exchange)
        if exchange is None:
            return
        try:
            await self._records.put(place.tenant, _name(key), _encode(_Kept(place.tenant, key, exchange)))
        except StoreError as error:
            log.debug("an exchange is remembered by this process only: %s", error)
            self._on_loss()

    async def find(self, tenant: str, read: Read) -> dict[int, Exchange]:
        """The exchanges that belong into this request as the client sent it, by the message they belong to."""
        await self._meet(read)
        history = history_of(read.messages)
        keys = {
            index: Place(tenant, history, index).key(print_)
            for index, message in enumerate(read.messages)
            if message.role == "assistant" and (print_ := self._prints.get(read.envelope.digests[index])) is not None
        }
        await self._ask(tenant, keys)
        found = {index: self._known.get((tenant, key)) for index, key in keys.items()}
        return {index: known.exchange for index, known in found.items() if known and known.exchange}

    async def _meet(self, read: Read) -> None:
        """Take the fingerprints of messages that were not met before; of many in a thread."""
        new = [
            index
            for index, message in enumerate(read.messages)
            if message.role == "assistant" and read.envelope.digests[index] not in self._prints
        ]
        if sum(len(read.envelope.messages[index]) for index in new) > _OFF_LOOP_BYTES:
            await asyncio.to_thread(self._print, read, new)
        else:
            self._print(read, new)

    def _print(self, read: Read, new: list[int]) -> None:
        for index in new:
            self._prints.put(read.envelope.digests[index], fingerprint(read.decoded(index)), _PRINT_BYTES)

    async def _ask(self, tenant: str, keys: Mapping[int, str]) -> None:
        """Ask the store for what is not known here, or was last asked for long ago."""
        now = self._now()
        wanted = [key for key in keys.values() if self._is_wanted(self._known.get((tenant, key)), now)]
        if not wanted:
            return
        try:
            values = await self._records.get(tenant, [_name(key) for key in wanted])
        except StoreError as error:
            log.debug("exchanges could not be looked up: %s", error)
            self._on_loss()
            return
        for key, value in zip(wanted, values, strict=True):
            exchange = _decoded(tenant, key, value) if value is not None else None
            if value is not None and exchange is None:
                self._on_loss()
            known = self._known.get((tenant, key))
            self._remember(tenant, key, exchange or (known.exchange if known else None))

    @staticmethod
    def _is_wanted(known: _Known | None, now: float) -> bool:
        if known is None:
            return True
        return known.exchange is not None and known.at + REFRESH_SECONDS <= now

    def _remember(self, tenant: str, key: str, exchange: Exchange | None) -> None:
        weight = _NOTHING_BYTES if exchange is None else exchange.weight
        self._known.put((tenant, key), _Known(exchange, self._now()), weight)


def _name(key: str) -> str:
    return f"exchange:{key}"


def _decoded(tenant: str, key: str, value: bytes) -> Exchange | None:
    """The exchange, if it is what was asked for; what cannot be read or is another's is none."""
    try:
        kept = _decoder.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        log.warning("an exchange in the state store cannot be read; going on without it")
        return None
    return kept.exchange if (kept.tenant, kept.key) == (tenant, key) else None
