"""A progress bar for people who wait: one line on a terminal, nothing anywhere else."""

from __future__ import annotations

from types import TracebackType
from typing import Self, TextIO

_BAR = 24
_NAME = 40


class Progress:
    """Counts up to `total` on `stream`; the line is wiped out at the end."""

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream = stream
        self._total = total
        self._count = 0
        self._is_shown = stream.isatty()

    def __enter__(self) -> Self:
        self._show("")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._is_shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def done(self, name: str) -> None:
        """One more is finished."""
        self._count += 1
        self._show(name)

    def _show(self, name: str) -> None:
        if not self._is_shown:
            return
        filled = _BAR * self._count // max(1, self._total)
        bar = "#" * filled + "." * (_BAR - filled)
        self._stream.write(f"\r\x1b[K[{bar}] {self._count}/{self._total} sessions  {name[:_NAME]}")
        self._stream.flush()
