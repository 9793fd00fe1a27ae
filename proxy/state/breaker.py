"""A breaker: after a failure nobody asks again until a pause is over, and then one caller alone.

The pause grows while probes fail. It starts anew only after a quiet time, so that a store which answers reads
but refuses writes does not switch to and fro.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

Pass = Literal["call", "probe"]


class Breaker:
    """Ask `admit()` before a call and report how it went, with the pass that it gave."""

    def __init__(
        self, first_pause: float = 1.0, longest_pause: float = 30.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._first_pause = first_pause
        self._longest_pause = longest_pause
        self._now = now
        self._pause = first_pause
        self._open_until: float | None = None
        self._closed_at = float("-inf")
        self._probing = False

    @property
    def closed(self) -> bool:
        """Whether calls pass."""
        return self._open_until is None

    @property
    def refuses(self) -> bool:
        """Whether a call would be refused at this moment."""
        return self._open_until is not None and (self._probing or self._now() < self._open_until)

    def admit(self) -> Pass | None:
        """None: fail at once."""
        if self._open_until is None:
            return "call"
        if self.refuses:
            return None
        self._probing = True
        return "probe"

    def succeeded(self, given: Pass) -> bool:
        """Whether this closed the breaker. A call that was on its way when it opened decides nothing."""
        if given == "call":
            return False
        self._probing = False
        self._open_until = None
        self._closed_at = self._now()
        return True

    def failed(self, given: Pass) -> bool:
        """Whether this opened the breaker; a failed probe keeps it open, for longer."""
        if given == "probe":
            self._probing = False
            self._open(min(self._pause * 2, self._longest_pause))
            return False
        if not self.closed:
            return False
        quiet = self._now() - self._closed_at > self._longest_pause
        self._open(self._first_pause if quiet else min(self._pause * 2, self._longest_pause))
        return True

    def _open(self, pause: float) -> None:
        self._pause = pause
        self._open_until = self._now() + pause
