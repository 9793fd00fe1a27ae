"""Why a request was served with less than all parts: one list for all who find it out.

The same part is missed at several places of a request (the state store before the call, within the answer and behind
it), and still it is one request that lacked it.
"""

from __future__ import annotations

from collections.abc import Callable

from proxy.context import Degraded


class Shortfalls:
    """The reasons of one request. `count` is told of each once, however often and late it is found."""

    def __init__(self, count: Callable[[Degraded], None]) -> None:
        self._count = count
        self._found: list[Degraded] = []

    def add(self, *reasons: Degraded) -> None:
        """These parts were missing."""
        for reason in reasons:
            if reason not in self._found:
                self._found.append(reason)
                self._count(reason)

    @property
    def found(self) -> tuple[Degraded, ...]:
        """The reasons so far, in the order in which they were found."""
        return tuple(self._found)
