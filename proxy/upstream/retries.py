"""When a call is worth another try: before its first byte, if it never left or was turned away."""

from __future__ import annotations

from collections.abc import Mapping

_LONGEST_PAUSE = 10.0


def turned_away(status: int) -> bool:
    """Whether another try may fare better than this answer."""
    return status == 429 or status >= 500


def pause(attempt: int, headers: Mapping[str, str]) -> float:
    """Seconds before the next try: what the provider asks for, else longer each time."""
    asked = headers.get("retry-after", "")
    return min(float(asked) if asked.isdigit() else 0.5 * 2.0**attempt, _LONGEST_PAUSE)
