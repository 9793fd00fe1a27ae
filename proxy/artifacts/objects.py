"""Artifacts in an object store, for proxies on several machines.

Each step of a put can be repeated, and the original is written last: what a crash leaves half done is found by
nobody, and swept once its time is over. A key only ever holds the same again, so two replicas cannot undo each other.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Iterable

from proxy.artifacts import Artifact
from proxy.artifacts.bucket import Bucket
from proxy.artifacts.files import is_locator
from proxy.artifacts.gate import Gate
from proxy.artifacts.ledger import Caps, Usage
from proxy.artifacts.object_keys import SESSIONS, Kept, Keys, original_key, session_keys, used_mark
from proxy.artifacts.object_ledger import ObjectLedger
from proxy.artifacts.object_survey import Survey, listed, removed
from proxy.artifacts.record import decode, encode
from proxy.errors import StoreError

log = logging.getLogger(__name__)

_SECONDS = 2.0
"""Keeping or reading one artifact takes a few round trips; a store that takes longer than this does not answer."""
_BYTES_PER_SECOND = 16 * 1024 * 1024  # and a large one so much longer
_ERASING_SECONDS = 60.0  # no agent waits for it, and a session may have many
_ERASED_AT_ONCE = 16
_REFRESH_SHARE = 0.01  # a use within this share of the time to live after the last one writes nothing


class ObjectArtifacts:
    """Implements `Artifacts`. `close` it."""

    def __init__(
        self, bucket: Bucket, secret: bytes, ttl_seconds: int, caps: Caps, now: Callable[[], float] = time.time
    ) -> None:
        self._bucket = bucket
        self._keys = Keys(secret)
        self._ttl = ttl_seconds
        self._now = now
        self._gate = Gate(bucket.name, self._probe)
        self._ledger = ObjectLedger(caps, self._count)

    async def ready(self) -> None:
        """StoreError where the store cannot be used."""
        await self._gate.run(_SECONDS, self._probe)

    async def put(self, tenant: str, locator: str, kind: str, text: str, session: str) -> bool:
        """Keep one original; False where a cap of the tenant or session forbids it. Idempotent."""
        if not is_locator(locator):
            raise StoreError(f"{locator!r} is no locator; one is `art_` and 12 characters of a-z2-7")
        seconds = _SECONDS + len(text) / _BYTES_PER_SECOND
        return await self._gate.run(seconds, lambda: self._put(tenant, locator, kind, text, session))

    async def get(self, tenant: str, locator: str) -> Artifact | None:
        """The original, its time to live refreshed; None for unknown, foreign, expired and damaged alike."""
        if not is_locator(locator):
            return None
        return await self._gate.run(_SECONDS, lambda: self._get(self._keys.home(tenant), locator))

    async def erase(self, tenant: str, locator: str) -> bool:
        """Whether there was something to erase."""
        if not is_locator(locator):
            return False
        return await self._gate.run(_ERASING_SECONDS, lambda: self._erase(self._keys.home(tenant), locator))

    async def erase_session(self, tenant: str, session: str) -> int:
        """Erase what only this session refers to; how many artifacts went."""
        home = self._keys.home(tenant)
        mark = self._keys.session(home, session)
        return await self._gate.run(_ERASING_SECONDS, lambda: self._erase_session(home, mark))

    async def usage_bytes(self, tenant: str) -> int:
        """What the tenant's artifacts take up."""
        usage = await self._gate.run(_SECONDS, lambda: self._ledger.usage(self._keys.home(tenant)))
        return usage.total

    async def close(self) -> None:
        """Give up what is under way."""
        await self._gate.close()
        await self._ledger.close()

    async def _put(self, tenant: str, locator: str, kind: str, text: str, session: str) -> bool:
        home = self._keys.home(tenant)
        mark = self._keys.session(home, session)
        found = await listed(self._bucket, home, locator)
        if found.size is not None and mark in found.sessions:
            await self._touch(home, locator, found)
            return True
        content = b""
        if found.size is None:
            content = await asyncio.to_thread(encode, home, locator, kind, text, self._now())
        if not await self._ledger.reserve(home, mark, len(content), found.size or len(content)):
            return False
        try:
            await asyncio.gather(self._touch(home, locator, found), self._refer(home, locator, mark, session))
            if content:
                await self._bucket.put(original_key(home, locator), content)
        except StoreError:
            self._ledger.forget(home)
            raise
        return True

    async def _refer(self, home: str, locator: str, mark: str, session: str) -> None:
        """Let the session refer to the artifact."""
        named, found_from_session = session_keys(home, locator, mark)
        name = session.encode("utf-8", "surrogatepass")
        await asyncio.gather(self._bucket.put(named, name), self._bucket.put(found_from_session, b""))

    async def _touch(self, home: str, locator: str, found: Kept) -> float:
        """When it was last used: now, give or take a share of the time to live."""
        now = self._now()
        if now - found.used <= self._ttl * _REFRESH_SHARE:
            return found.used
        mark = used_mark(now)
        await self._bucket.put(f"{home}/{locator}/{mark}", b"")
        await self._bucket.delete([f"{home}/{locator}/{old}" for old in found.used_marks if old != mark])
        return now

    async def _get(self, home: str, locator: str) -> Artifact | None:
        found, content = await asyncio.gather(
            listed(self._bucket, home, locator), self._bucket.get(original_key(home, locator))
        )
        if content is None or self._expired(found):
            return None
        decoded = await asyncio.to_thread(decode, content, home, locator)
        if decoded is None:
            log.warning("artifact %s is damaged; removed", locator)
            await self._remove(home, locator, found)
            return None
        used, sessions = await asyncio.gather(
            self._touch(home, locator, found), self._names(home, locator, found.sessions)
        )
        head, text = decoded
        return Artifact(locator, head.kind, text, head.created, used + self._ttl, sessions)

    async def _names(self, home: str, locator: str, marks: Iterable[str]) -> tuple[str, ...]:
        """The sessions behind the marks; one that has just been erased is left out."""
        names = await asyncio.gather(*(self._bucket.get(session_keys(home, locator, mark)[0]) for mark in marks))
        return tuple(sorted(name.decode("utf-8", "surrogatepass") for name in names if name is not None))

    async def _erase(self, home: str, locator: str) -> bool:
        found = await listed(self._bucket, home, locator)
        await self._remove(home, locator, found)
        return found.size is not None and not self._expired(found)

    async def _erase_session(self, home: str, mark: str) -> int:
        entries = [name async for name, _ in self._bucket.list(f"{home}/{SESSIONS}/{mark}")]
        locators, erased = [name for name in entries if is_locator(name)], 0
        for start in range(0, len(locators), _ERASED_AT_ONCE):
            batch = locators[start : start + _ERASED_AT_ONCE]
            erased += sum(await asyncio.gather(*(self._leave(home, locator, mark) for locator in batch)))
        self._ledger.forget(home)
        return erased

    async def _leave(self, home: str, locator: str, mark: str) -> bool:
        """Whether the artifact went with the session's reference, which was the last."""
        found = await listed(self._bucket, home, locator)
        if found.sessions - {mark}:
            await self._bucket.delete(session_keys(home, locator, mark))
            return False
        await removed(self._bucket, home, locator, found)
        await self._bucket.delete(session_keys(home, locator, mark))  # also where the locator had lost its own
        return found.size is not None

    async def _remove(self, home: str, locator: str, found: Kept) -> None:
        await removed(self._bucket, home, locator, found)
        self._ledger.forget(home)

    def _expired(self, found: Kept) -> bool:
        return found.used + self._ttl <= self._now()

    async def _count(self, home: str) -> Usage:
        """Count one tenant, and sweep another in passing: one that never writes again must expire too."""
        others = [other for other in await self._bucket.folders() if other != home]
        if others:
            await Survey(self._bucket, random.choice(others), self._now(), self._ttl).usage()
        return await Survey(self._bucket, home, self._now(), self._ttl).usage()

    async def _probe(self) -> None:
        """Anything that the store must answer."""
        await self._bucket.get("probe")
