"""Artifacts in a folder of this machine, for one proxy and its workers.

`ROOT/TENANT/LOCATOR` is the artifact, `ROOT/TENANT/sessions/SESSION/LOCATOR` a second link to the same file for each
session that refers to it. So the file system counts the references, and the one time of the file, set at each use,
is its age under all its names. There is nothing to keep in step, and nothing that a crash can leave half done.
"""

from __future__ import annotations

import logging
import os
import random
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from proxy.artifacts import Artifact
from proxy.artifacts.files import (
    SESSIONS,
    create_folder,
    facts,
    folder,
    folder_name,
    is_locator,
    read,
    remove,
    write,
)
from proxy.artifacts.ledger import Caps, Ledger, Usage, survey
from proxy.artifacts.record import HEAD_BYTES, decode, decode_head, encode
from proxy.artifacts.threads import FolderThreads
from proxy.errors import StoreError

log = logging.getLogger(__name__)

_MEGABYTE = 1024 * 1024
_SECONDS = 2.0
"""Reading or writing one artifact takes milliseconds; a folder that takes longer than this does not answer."""
_BYTES_PER_SECOND = 16 * _MEGABYTE  # and a large one so much longer
_ERASING_SECONDS = 60.0  # no agent waits for it, and a session may have many
_REFRESH_SHARE = 0.01  # a use within this share of the time to live after the last one writes nothing


class LocalArtifacts:
    """Implements `Artifacts`. Needs a file system with hard links.

    All file access is in threads of its own (`threads.py`): a folder that hangs, as one on a network may, takes none
    of those that read requests, and holds up nobody for long.
    """

    def __init__(
        self,
        directory: Path,
        ttl_seconds: int,
        max_mb_per_session: int,
        max_mb_per_tenant: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._root = directory.absolute()
        self._ttl = ttl_seconds
        self._now = now
        self._threads = FolderThreads(f"artifacts folder {self._root}")
        self._ledger = Ledger(Caps.of_mb(max_mb_per_session, max_mb_per_tenant))

    async def ready(self) -> None:
        """Make the folder; StoreError where it cannot be used."""
        await self._threads.run(_SECONDS, create_folder, self._root)

    async def put(self, tenant: str, locator: str, kind: str, text: str, session: str) -> bool:
        """Keep one original; False where a cap of the tenant or session forbids it. Idempotent."""
        if not is_locator(locator):
            raise StoreError(f"{locator!r} is no locator; one is `art_` and 12 characters of a-z2-7")
        seconds = _SECONDS + len(text) / _BYTES_PER_SECOND
        return await self._threads.run(seconds, self._put, tenant, locator, kind, text, session)

    async def get(self, tenant: str, locator: str) -> Artifact | None:
        """The original, its time to live refreshed; None for unknown, foreign, expired and damaged alike."""
        return await self._threads.run(_SECONDS, self._get, tenant, locator) if is_locator(locator) else None

    async def erase(self, tenant: str, locator: str) -> bool:
        """Whether there was something to erase."""
        if not is_locator(locator):
            return False
        return await self._threads.run(_ERASING_SECONDS, self._erase, tenant, locator)

    async def erase_session(self, tenant: str, session: str) -> int:
        """Erase what only this session refers to; how many artifacts went."""
        return await self._threads.run(_ERASING_SECONDS, self._erase_session, tenant, session)

    async def usage_bytes(self, tenant: str) -> int:
        """What the tenant's artifacts take up."""
        return await self._threads.run(_SECONDS, self._usage_bytes, tenant)

    def _put(self, tenant: str, locator: str, kind: str, text: str, session: str) -> bool:
        place, name = folder_name(tenant), folder_name(session)
        if not os.path.lexists(self._root / place):
            self._ledger.forget(place)
            create_folder(self._root, place)
        with folder(self._root, place) as home:
            stored = self._refresh(home, place, locator)
            if stored and facts(home, f"{SESSIONS}/{name}/{locator}") is not None:
                return True
            content = None if stored else encode(place, locator, kind, text, self._now())
            new = len(content or b"")
            if not self._ledger.reserve(place, name, new, stored or new, lambda: self._survey(home)):
                return False
            try:
                if content is not None:
                    write(home, locator, content, self._now())
                self._refer(place, name, home, locator, fresh=content is not None)
            except OSError:
                self._ledger.forget(place)
                raise
        return True

    def _refer(self, place: str, name: str, home: int, locator: str, *, fresh: bool) -> None:
        """Let the session refer to the artifact."""
        create_folder(self._root, place, SESSIONS, name)
        with folder(self._root, place, SESSIONS, name) as links, suppress(FileExistsError):
            if fresh:
                remove(links, locator)  # what an artifact that has gone left behind
            os.link(locator, locator, src_dir_fd=home, dst_dir_fd=links, follow_symlinks=False)

    def _refresh(self, home: int, place: str, locator: str) -> int:
        """The size of the file if the artifact is there already, else 0; a damaged one makes way."""
        try:
            start, found = read(home, locator, HEAD_BYTES)
        except FileNotFoundError:
            found_there = facts(home, locator)
            if found_there is not None and not stat.S_ISREG(found_there.st_mode):
                remove(home, locator)  # a link or the like in its place, and not what another put has just written
            return 0
        if decode_head(start, found.st_size, place, locator) is None:
            remove(home, locator)
            return 0
        self._touch(home, locator, found)
        return found.st_size

    def _get(self, tenant: str, locator: str) -> Artifact | None:
        place = folder_name(tenant)
        try:
            with folder(self._root, place) as home:
                content, found = read(home, locator)
                if self._expired(found):
                    return None
                decoded = decode(content, place, locator)
                if decoded is None:
                    log.warning("artifact %s is damaged; removed", locator)
                    self._remove(place, home, locator)
                    return None
                expires = self._touch(home, locator, found) + self._ttl
        except FileNotFoundError:
            return None
        head, text = decoded
        sessions = self._sessions(place, locator, found.st_nlink - 1)
        return Artifact(locator, head.kind, text, head.created, expires, sessions)

    def _erase(self, tenant: str, locator: str) -> bool:
        place = folder_name(tenant)
        try:
            with folder(self._root, place) as home:
                found = facts(home, locator)
                self._remove(place, home, locator)
        except FileNotFoundError:
            return False
        return found is not None and not self._expired(found)

    def _erase_session(self, tenant: str, session: str) -> int:
        place, name, erased = folder_name(tenant), folder_name(session), 0
        try:
            with folder(self._root, place) as home, folder(self._root, place, SESSIONS, name) as links:
                for locator in filter(is_locator, os.listdir(links)):
                    remove(links, locator)
                    found = facts(home, locator)
                    if found is not None and found.st_nlink == 1:
                        erased += remove(home, locator)
            with folder(self._root, place, SESSIONS) as sessions, suppress(OSError):
                os.rmdir(name, dir_fd=sessions)
        except FileNotFoundError:
            return erased
        finally:
            self._ledger.forget(place)
        return erased

    def _usage_bytes(self, tenant: str) -> int:
        place = folder_name(tenant)
        try:
            with folder(self._root, place) as home:
                return self._ledger.usage(place, lambda: self._survey(home)).total
        except FileNotFoundError:
            return 0

    def _remove(self, place: str, home: int, locator: str) -> None:
        """The artifact under all its names."""
        remove(home, locator)
        for session in self._sessions(place, locator, None):
            with suppress(FileNotFoundError, NotADirectoryError), folder(self._root, place, SESSIONS, session) as links:
                remove(links, locator)
        self._ledger.forget(place)

    def _sessions(self, place: str, locator: str, most: int | None) -> tuple[str, ...]:
        """Sessions that refer to it; looks no further than `most`."""
        found: list[str] = []
        with suppress(FileNotFoundError), folder(self._root, place, SESSIONS) as sessions:
            for session in os.listdir(sessions):
                if most is not None and len(found) >= most:
                    break
                if facts(sessions, f"{session}/{locator}") is not None:
                    found.append(session)
        return tuple(sorted(found))

    def _touch(self, home: int, locator: str, found: os.stat_result) -> float:
        """When it was last used: now, give or take a share of the time to live."""
        now = self._now()
        if now - found.st_mtime <= self._ttl * _REFRESH_SHARE:
            return found.st_mtime
        os.utime(locator, (now, now), dir_fd=home, follow_symlinks=False)
        return now

    def _expired(self, found: os.stat_result) -> bool:
        return found.st_mtime + self._ttl <= self._now()

    def _survey(self, home: int) -> Usage:
        """Count one tenant, and sweep another in passing: one that never writes again must expire too."""
        with suppress(OSError), folder(self._root, random.choice(os.listdir(self._root))) as other:
            survey(other, self._now(), self._ttl)
        return survey(home, self._now(), self._ttl)
