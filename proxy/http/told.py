"""What is told of a request once it is over, by the log and by the trace: collected where it becomes known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from proxy.context import Degraded
from proxy.http.recording import Exchange
from proxy.retrieval.rounds import summed
from proxy.upstream import Usage


@dataclass(slots=True)
class Told:
    """Times are seconds since the request came; None where it did not come that far."""

    exchange: Exchange | None = None
    overhead_seconds: float | None = None
    first_byte_seconds: float | None = None
    degraded: tuple[Degraded, ...] = ()
    rounds: Sequence[Usage] = ()

    @property
    def usage(self) -> Usage | None:
        """All calls of the request together; None where the provider did not say."""
        return summed(self.rounds) if self.rounds else None

    def fields(self) -> dict[str, Any]:
        """As fields of a log line: numbers, names and digests."""
        fields: dict[str, Any] = {}
        if self.exchange is not None:
            report = self.exchange.edited.plan.report
            fields |= {
                "session": self.exchange.session,
                "policy": self.exchange.policy,
                "received_tokens": report.received,
                "forwarded_tokens": report.forwarded,
            }
        if (usage := self.usage) is not None:
            fields |= {
                "input_tokens": usage.input_tokens,
                "cache_read_tokens": usage.cache_read_tokens,
                "output_tokens": usage.output_tokens,
            }
        for name in ("overhead_seconds", "first_byte_seconds"):
            if (seconds := getattr(self, name)) is not None:
                fields[name] = round(seconds, 4)
        if self.degraded:
            fields["degraded"] = list(self.degraded)
        return fields


_TOLD = web.RequestKey("told", Told)


def told(request: web.Request) -> Told:
    """Of this request, to be added to."""
    if _TOLD not in request:
        request[_TOLD] = Told()
    return request[_TOLD]
