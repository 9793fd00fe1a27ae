"""Summarisers that failed three times in a row are left alone for a minute; then one call tries them again."""

from __future__ import annotations

from collections.abc import Callable

FAILURES = 3
PAUSE_SECONDS = 60.0


class Breakers:
    """One breaker for each summariser, by its configured name."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._failures: dict[str, int] = {}
        self._open_until: dict[str, float] = {}

    def refuses(self, name: str) -> bool:
        """Whether the summariser is left alone at this moment. The first to ask after the pause may call it."""
        until = self._open_until.get(name)
        if until is None:
            return False
        if self._now() < until:
            return True
        self._open_until[name] = self._now() + PAUSE_SECONDS
        return False

    def failed(self, name: str) -> None:
        """A call gave no summary."""
        self._failures[name] = self._failures.get(name, 0) + 1
        if self._failures[name] >= FAILURES:
            self._open_until[name] = self._now() + PAUSE_SECONDS

    def succeeded(self, name: str) -> None:
        """A call gave one."""
        self._failures.pop(name, None)
        self._open_until.pop(name, None)
