"""One owner per state folder: two servers appending to one file would destroy it.

The lock is the kernel's, so it cannot go stale. The server inherits its descriptor: after a proxy was killed the
folder stays locked until its server is dead too, and only then can the next one start.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from proxy.errors import StoreError

_NAME = "lock"
_OWNER_SECONDS = 1.0  # patience with an owner that seems alive: it may be a process that nobody has buried yet
_LEFTOVER_SECONDS = 10.0  # how long what a killed proxy left behind may take to die
_POLL_SECONDS = 0.02


def lock_folder(directory: Path) -> int:
    """The descriptor that holds the lock until it is closed. StoreError if a living process has it.

    Blocks for a second, or for a few where the recorded owner is dead and only what it left holds the lock.
    """
    held = os.open(directory / _NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        _acquire(held, directory)
        os.ftruncate(held, 0)
        os.pwrite(held, str(os.getpid()).encode(), 0)
    except BaseException:
        os.close(held)
        raise
    return held


def _acquire(held: int, directory: Path) -> None:
    started = time.monotonic()
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(held, 20, 0).decode("ascii", "replace").strip()
            patience = _OWNER_SECONDS if _alive(owner) else _LEFTOVER_SECONDS
            if time.monotonic() - started > patience:
                raise StoreError(
                    f"state folder {directory} is in use by another proxy (process {owner or 'unknown'}); "
                    "stop that one, or set state.directory to another folder, or state.url to a shared Redis"
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def _alive(owner: str) -> bool:
    """Whether the process that wrote its id still runs; one that has not written it yet is just starting."""
    if not owner.isdigit():
        return False
    try:
        os.kill(int(owner), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
