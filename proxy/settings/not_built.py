"""What the configuration can say and this version cannot do: refused, never silently ignored.

One row per promise. Whoever builds one deletes its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from proxy.settings.faults import Key
from proxy.settings.models import Settings


@dataclass(frozen=True, slots=True)
class NotBuilt:
    """`where` yields the keys that ask for it; `remedy` is what to say instead."""

    where: Callable[[Settings], Iterator[Key]]
    what: str
    remedy: str


def _when(key: Key, asked: Callable[[Settings], bool]) -> Callable[[Settings], Iterator[Key]]:
    def where(settings: Settings) -> Iterator[Key]:
        if asked(settings):
            yield key

    return where


NOT_BUILT = (
    NotBuilt(
        _when(("server", "workers"), lambda settings: settings.server.workers > 1),
        "more than one worker",
        "use 1",
    ),
)


def not_built(settings: Settings) -> Iterator[tuple[Key, str]]:
    """Every key that asks for something not built yet, with what to tell the operator."""
    for row in NOT_BUILT:
        for key in row.where(settings):
            yield key, f"{row.what} is not built yet; {row.remedy}"
