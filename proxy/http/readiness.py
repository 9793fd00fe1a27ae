"""Whether this process should get requests: facts that start-up and shutdown set, read by probes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Readiness:
    """A dead store does not make a proxy unready: requests go on without it.

    `store_up` asks the state store within its own short time-out, and never raises.
    """

    store_up: Callable[[], Awaitable[bool]]
    started: bool = False
    draining: bool = False
    tokenizer: bool = False
    catalog: bool = False

    def reasons(self) -> list[str]:
        """Why this process is not ready; empty when it is."""
        facts = {
            "starting": not self.started,
            "draining": self.draining,
            "tokenizer": not self.tokenizer,
            "catalog": not self.catalog,
        }
        return [reason for reason, holds in facts.items() if holds]
