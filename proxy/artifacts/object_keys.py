"""The keys of an object store: what is kept under which, and what a listing of them tells.

    HOME/LOCATOR/original           the record, see `record.py`; written last, never changed
    HOME/LOCATOR/session-DIGEST     holds the name of a session that refers to it
    HOME/LOCATOR/used-MILLISECONDS  empty: when it was last used
    HOME/sessions/DIGEST/LOCATOR    empty: the same reference, to be found from the session

HOME and DIGEST are keyed digests of tenant and session: no name of anybody's stands in a key. All that a sweep or a
count must know stands in the keys, so a listing is enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

SESSIONS = "sessions"
ORIGINAL = "original"
_SESSION = "session-"
_USED = "used-"


class Keys:
    """Makes keys with one secret: the same on every replica, and nobody's to guess."""

    def __init__(self, secret: bytes) -> None:
        self._key = blake2b(secret, digest_size=32).digest()

    def home(self, tenant: str) -> str:
        """The folder of a tenant."""
        return self._digest(b"tenant", tenant)

    def session(self, home: str, session: str) -> str:
        """A session of the tenant at `home`."""
        return self._digest(b"session " + home.encode(), session)

    def _digest(self, kind: bytes, name: str) -> str:
        data = kind + b"\0" + name.encode("utf-8", "surrogatepass")
        return blake2b(data, key=self._key, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of one locator; `size` is the original's, None where there is none."""

    size: int | None = None
    sessions: frozenset[str] = frozenset()
    used_marks: tuple[str, ...] = ()

    @property
    def used(self) -> float:
        """When it was last used, in seconds since the epoch; 0 where nobody says."""
        times = [mark.removeprefix(_USED) for mark in self.used_marks]
        return max((int(time) / 1000 for time in times if time.isdecimal()), default=0.0)

    def keys(self, home: str, locator: str) -> list[str]:
        """All of its keys but the original's."""
        marks = [f"{home}/{locator}/{mark}" for mark in self.used_marks]
        return marks + [key for session in self.sessions for key in session_keys(home, locator, session)]


def kept(entries: Iterable[tuple[str, int]]) -> Kept:
    """From what a listing of HOME/LOCATOR holds."""
    size, sessions, marks = None, set(), []
    for name, bytes_ in entries:
        if name == ORIGINAL:
            size = bytes_
        elif name.startswith(_SESSION):
            sessions.add(name.removeprefix(_SESSION))
        elif name.startswith(_USED):
            marks.append(name)
    return Kept(size, frozenset(sessions), tuple(marks))


def original_key(home: str, locator: str) -> str:
    """Where the record is."""
    return f"{home}/{locator}/{ORIGINAL}"


def session_keys(home: str, locator: str, session: str) -> tuple[str, str]:
    """The two keys of a reference: the one with the session's name in it, and the one found from the session."""
    return f"{home}/{locator}/{_SESSION}{session}", f"{home}/{SESSIONS}/{session}/{locator}"


def used_mark(time: float) -> str:
    """The name that says when."""
    return f"{_USED}{int(time * 1000):015d}"
