"""The memory that request bodies may take: of each one, and of all in flight together."""

from __future__ import annotations

from proxy.errors import Overloaded

MIB = 1024 * 1024


class Bodies:
    """The cap of one body, and the room that all bodies in flight share; both in bytes."""

    def __init__(self, max_body_mb: int, max_bodies_mb: int) -> None:
        self.max_body = max_body_mb * MIB
        self.room = max_bodies_mb * MIB
        self.held = 0

    def take(self, size: int) -> None:
        """Count `size` bytes as held; Overloaded if there is no room for them."""
        if self.held + size > self.room:
            raise Overloaded(
                f"all request bodies in flight together exceed server.max_bodies_mb ({self.room // MIB}); "
                "try again in a moment"
            )
        self.held += size

    def give_back(self, size: int) -> None:
        """The other half of `take`."""
        self.held -= size
