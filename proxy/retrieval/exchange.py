"""What the client never saw of a turn: our calls, their results, and where they stood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proxy.retrieval.spoken import Spoken, encoded, is_ours


class Exchange(msgspec.Struct, frozen=True):
    """What belongs to one assistant message of the client's.

    `before` are whole messages that stood before it. `earlier` is the part of its fields that was said in those. In a
    mixed turn `calls` are our calls with their places among all calls of the message, `results` follow it.
    """

    before: list[msgspec.Raw]
    earlier: dict[str, Any]
    calls: list[tuple[int, msgspec.Raw]]
    results: list[msgspec.Raw]

    @property
    def weight(self) -> int:
        """About what it takes up in memory."""
        raws = [*self.before, *self.results, *(call for _, call in self.calls)]
        return 500 + sum(map(len, raws)) + sum(len(str(value)) for value in self.earlier.values())


def exchange(
    before: Sequence[bytes], earlier: Mapping[str, Any], said: Spoken | None, results: Sequence[bytes]
) -> Exchange:
    """`said` is the final message, of which our calls are kept."""
    calls = enumerate(said.carried()) if said is not None else ()
    tools = said.tools if said is not None else frozenset()
    return Exchange(
        [msgspec.Raw(message) for message in before],
        dict(earlier),
        [(place, msgspec.Raw(encoded(call))) for place, call in calls if is_ours(call, tools)],
        [msgspec.Raw(message) for message in results],
    )
