"""The file system's part of the local artifacts: private folders, whole files, no way out.

Everything below the root is reached through descriptors and never through a symbolic link. A file gets its
name by a hard link, which, unlike a rename, is exclusive: of two processes that keep the same original one wins,
and both refer to the same file.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from proxy.locators import PATTERN

SESSIONS = "sessions"
_PLAIN = re.compile(r"[a-z0-9_-][a-z0-9_.-]{0,63}")
_TEMPORARY = re.compile(r"\.new-([0-9]{1,12})-[0-9a-f]+")


def is_locator(name: str) -> bool:
    """Whether this may be the name of an artifact."""
    return PATTERN.fullmatch(name) is not None


def folder_name(name: str) -> str:
    """A tenant or session as a name of a folder; what is not plain, or differs by case only, is digested."""
    if _PLAIN.fullmatch(name):
        return name
    return "~" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@contextmanager
def folder(root: Path, *names: str) -> Iterator[int]:
    """A descriptor of the folder. FileNotFoundError if there is none, NotADirectoryError for a link in its place."""
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names:
            inner = subfolder(descriptor, name)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def subfolder(parent: int, name: str) -> int:
    """A descriptor, the caller's to close."""
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)


def create_folder(root: Path, *names: str) -> None:
    """Make the folder and what leads to it, private to this user."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    for depth, name in enumerate(names):
        with folder(root, *names[:depth]) as parent, suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=parent)
            os.fsync(parent)


def read(parent: int, name: str, limit: int | None = None) -> tuple[bytes, os.stat_result]:
    """A regular file's first `limit` bytes and its facts. FileNotFoundError for anything else of that name."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    except OSError as error:
        if (found := facts(parent, name)) is not None and stat.S_ISREG(found.st_mode):
            raise
        raise FileNotFoundError(f"{name} is no regular file") from error
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise FileNotFoundError(f"{name} is no regular file")
        return file.read(-1 if limit is None else limit), found


def facts(parent: int, name: str) -> os.stat_result | None:
    """What stands under the name, links not followed; None if nothing does."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None


def write(parent: int, name: str, content: bytes, now: float) -> bool:
    """Keep the content under the name, whole and on the disk, or not at all; False if the name is taken."""
    temporary = f".new-{int(now)}-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o600, dir_fd=parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.utime(descriptor, (now, now))
            os.fsync(descriptor)
        os.link(temporary, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
    except FileExistsError:
        return False
    finally:
        remove(parent, temporary)
    os.fsync(parent)
    return True


def remove(parent: int, name: str) -> bool:
    """Whether there was such a file."""
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return False
    return True


def is_stale_temporary(name: str, before: float) -> bool:
    """Whether a process began this file before then and did not live to finish it. Its time is in its name:
    the file's own may be that of an artifact in use, of which it is a second link."""
    found = _TEMPORARY.fullmatch(name)
    return found is not None and int(found[1]) < before
