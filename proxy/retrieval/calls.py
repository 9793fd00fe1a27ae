"""Tool calls out of a stream's deltas: which call a fragment belongs to, and which calls are ours.

Providers differ: some give every parallel call the index 0, some leave out id and name after the first fragment, some
repeat them. A new id, or another name, means a new call; everything else goes on with the latest one of its index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from proxy.retrieval.merging import merged


@dataclass
class StreamedCall:
    """One call as far as it has come; `tools` are the names of ours.

    `number` counts the client's calls; None for ours and while it has no name.
    """

    index: int
    tools: frozenset[str]
    fields: dict[str, Any] = field(default_factory=dict)
    held: list[dict[str, Any]] = field(default_factory=list)
    number: int | None = None

    @property
    def id(self) -> str:
        return self.fields.get("id") or ""

    @property
    def name(self) -> str:
        function = self.fields.get("function") or self.fields.get("custom")
        return (function.get("name") or "") if isinstance(function, dict) else ""

    @property
    def is_ours(self) -> bool:
        return self.name in self.tools


class StreamedCalls:
    """The calls of one answer, in the order in which they began; `tools` are the names of ours."""

    def __init__(self, tools: frozenset[str]) -> None:
        self._tools = tools
        self.calls: list[StreamedCall] = []
        self._latest: dict[int, StreamedCall] = {}
        self._numbered = 0

    @property
    def ours(self) -> bool:
        """Whether a call of ours has begun."""
        return any(call.is_ours for call in self.calls)

    @property
    def waits(self) -> bool:
        """Whether a fragment waits for the name of its call."""
        return any(call.held for call in self.calls)

    def take(self, items: list[Any]) -> Iterator[dict[str, Any]]:
        """The fragments of these that the client may see, with the indices it should see.

        A fragment without a name yet waits for it.
        """
        for item in items:
            if not isinstance(item, dict):
                continue
            call = self._call(item)
            call.fields = merged(call.fields, {key: value for key, value in item.items() if key != "index"})
            if call.is_ours:
                continue
            call.held.append(item)
            if call.name:
                yield from self._shown(call)

    def unnamed(self) -> Iterator[dict[str, Any]]:
        """What still waits for a name at the end: the client's, as it came."""
        for call in self.calls:
            if not call.is_ours and call.held:
                yield from self._shown(call)

    def _shown(self, call: StreamedCall) -> Iterator[dict[str, Any]]:
        if call.number is None:
            call.number = self._numbered
            self._numbered += 1
        for held in call.held:
            yield {**held, "index": call.number}
        call.held.clear()

    def _call(self, item: dict[str, Any]) -> StreamedCall:
        index = item["index"] if isinstance(item.get("index"), int) else 0
        latest = self._latest.get(index)
        if latest is None or _begins(item, latest):
            latest = self._latest[index] = StreamedCall(index, self._tools)
            self.calls.append(latest)
        return latest


def _begins(item: dict[str, Any], latest: StreamedCall) -> bool:
    """Whether this fragment is the first of another call."""
    given = item.get("id")
    if given and latest.id and given != latest.id:
        return True
    function = item.get("function") or item.get("custom")
    name = function.get("name") if isinstance(function, dict) else None
    return bool(name and latest.name and name != latest.name)
