"""One segment that is to be summarised, with everything that this takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from policies.schema import Summarise
from proxy.upstream import Route


@dataclass(frozen=True, slots=True)
class Work:
    """`route` is the summariser's; `transcript(most)` the segment as text in about so many tokens, made on demand.

    `previous` is the summary that this one goes on from ("" if none), `segment_tokens` what both save at the most.
    """

    tenant: str
    key: str
    route: Route
    settings: Summarise
    previous: str
    transcript: Callable[[int], str]
    segment_tokens: int
    count: Callable[[str], int]
