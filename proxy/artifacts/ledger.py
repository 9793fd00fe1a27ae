"""What the artifacts of each tenant take up, without walking the folder for each new one.

A tenant's folder is walked at its first use and then every few minutes; in between this process counts what it
adds. Other processes' additions are seen at the next walk, so a cap may be passed by what they add until then.
The same walk sweeps what has expired, a bounded number at a time.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from proxy.artifacts.files import SESSIONS, is_locator, is_stale_temporary, remove, subfolder

RECOUNT_SECONDS = 600.0
RECOUNT_BEFORE_REFUSAL_SECONDS = 60.0
TENANTS = 1_000
"""How many tenants one process remembers the usage of."""
_SWEEP_LIMIT = 1_000
_STALE_SECONDS = 3_600.0
_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Caps:
    """How much is kept at most, in bytes."""

    per_session: int
    per_tenant: int

    @classmethod
    def of_mb(cls, per_session: int, per_tenant: int) -> Caps:
        """From what an operator writes."""
        return cls(per_session * _MEGABYTE, per_tenant * _MEGABYTE)


@dataclass(slots=True)
class Usage:
    """Bytes of one tenant, in all and by session (an artifact counts for each session that refers to it)."""

    total: int = 0
    sessions: dict[str, int] = field(default_factory=dict)
    counted: float = field(default_factory=time.monotonic)

    def book(self, caps: Caps, session: str, new: int, referred: int) -> bool:
        """Add `new` bytes to the tenant's and `referred` to the session's; False, and nothing added, over a cap."""
        total = self.total + new
        of_session = self.sessions.get(session, 0) + referred
        if (new and total > caps.per_tenant) or of_session > caps.per_session:
            return False
        self.total, self.sessions[session] = total, of_session
        return True


class Ledger:
    """Counts per tenant and holds the caps. Its methods are called from threads."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._usages: dict[str, Usage] = {}
        self._changing = threading.Lock()
        self._counting = threading.Lock()

    def usage(self, tenant: str, count: Callable[[], Usage], max_age: float = RECOUNT_SECONDS) -> Usage:
        """The tenant's usage, counted anew if it is older than that and nobody else is counting."""
        known = self._usages.get(tenant)
        if known is not None and time.monotonic() - known.counted < max_age:
            return known
        if not self._counting.acquire(blocking=known is None):
            assert known is not None
            return known
        try:
            newer = self._usages.get(tenant)
            if newer is not None and newer is not known:
                return newer
            counted = count()
            with self._changing:
                while len(self._usages) >= TENANTS:
                    del self._usages[next(iter(self._usages))]
                self._usages[tenant] = counted
            return counted
        finally:
            self._counting.release()

    def reserve(self, tenant: str, session: str, new: int, referred: int, count: Callable[[], Usage]) -> bool:
        """Book `new` bytes for the tenant and `referred` for the session; False, and nothing booked, over a cap."""
        usage = self.usage(tenant, count)
        if self._book(usage, session, new, referred):
            return True
        usage = self.usage(tenant, count, RECOUNT_BEFORE_REFUSAL_SECONDS)
        return self._book(usage, session, new, referred)

    def forget(self, tenant: str) -> None:
        """Something was taken away: count anew at the next use."""
        self._usages.pop(tenant, None)

    def _book(self, usage: Usage, session: str, new: int, referred: int) -> bool:
        with self._changing:
            return usage.book(self._caps, session, new, referred)


def survey(home: int, now: float, ttl: float) -> Usage:
    """Walk a tenant's folder: what is there, after the sweep."""
    usage = Usage()
    sweep = _Sweep(now, ttl)
    with os.scandir(home) as entries:
        for entry in entries:
            usage.total += sweep.size(home, entry)
    with suppress(FileNotFoundError), _open(home, SESSIONS) as sessions:
        for session in os.listdir(sessions):
            with suppress(FileNotFoundError, NotADirectoryError):
                if size := _survey_session(sessions, session, sweep):
                    usage.sessions[session] = size
    return usage


def _survey_session(sessions: int, session: str, sweep: _Sweep) -> int:
    with _open(sessions, session) as links:
        with os.scandir(links) as entries:
            size = sum(sweep.size(links, entry) for entry in entries)
        # an empty folder may belong to a session that is about to get its first artifact
        unused = size == 0 and os.fstat(links).st_mtime < sweep.stale_before
    if unused:
        with suppress(OSError):
            os.rmdir(session, dir_fd=sessions)
    return size


class _Sweep:
    """Sizes of what stays; what has expired, or was never finished, is removed up to a limit."""

    def __init__(self, now: float, ttl: float) -> None:
        self.stale_before = now - _STALE_SECONDS
        self._expired_before = now - ttl
        self._left = _SWEEP_LIMIT

    def size(self, parent: int, entry: os.DirEntry[str]) -> int:
        if is_locator(entry.name):
            facts = entry.stat(follow_symlinks=False)
            if facts.st_mtime > self._expired_before:
                return facts.st_size
        elif not is_stale_temporary(entry.name, self.stale_before):
            return 0
        if self._left > 0:
            self._left -= 1
            with suppress(OSError):
                remove(parent, entry.name)
        return 0


@contextmanager
def _open(parent: int, name: str) -> Iterator[int]:
    descriptor = subfolder(parent, name)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
