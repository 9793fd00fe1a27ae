"""What is known of a tree's files: their definitions, each as of one stamp; brought up to date file by file.

A file is read again when its stamp differs, and once more where the stamp was taken so soon after a change that a
second change could have left the same one. One thread at a time may work on it; entries themselves never change.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec.structs import replace

from proxy.workspaces.definitions import definitions
from proxy.workspaces.languages import language_of_file
from proxy.workspaces.symbol import Symbol
from proxy.workspaces.tree import Stamp, Tree, read

MOST_SYMBOLS = 500_000
SETTLED_AFTER_NS = 2_000_000_000
"""Changes closer together than a file system's clock ticks leave one stamp; the coarsest known ticks every 2 s."""
PARSE_SECONDS = 2.0
_BINARY_WITHIN = 8192


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One file. `skipped` says why it has no definitions; `settled` that an equal stamp means an equal text."""

    stamp: Stamp
    settled: bool
    digest: bytes = b""
    symbols: tuple[Symbol, ...] = ()
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """A file that has been read: its lines without their ends, and the definitions in these very lines."""

    lines: tuple[bytes, ...]
    symbols: tuple[Symbol, ...]


@dataclass(slots=True)
class Index:
    """The entries by path. `waiting` are the files of the latest tree that are still to be read, in order."""

    root: Path
    most_symbols: int = MOST_SYMBOLS
    entries: dict[str, Entry] = field(default_factory=dict)
    symbols: int = 0
    _waiting: dict[str, Stamp] = field(default_factory=dict)
    _walked_ns: int = 0

    def compare(self, tree: Tree, walked_ns: int) -> None:
        """Forget what is gone, and find what is to be read. `walked_ns` is when the walk began."""
        for path in self.entries.keys() - tree.files.keys():
            self._forget(path)
        self._walked_ns = walked_ns
        self._waiting = {path: stamp for path, stamp in tree.files.items() if not self._is_known(path, stamp)}

    @property
    def waiting(self) -> int:
        """How many files are still to be read."""
        return len(self._waiting)

    def work(self, seconds: float) -> bool:
        """Read files for about so long; whether any are left."""
        until = time.monotonic() + seconds
        while self._waiting and time.monotonic() < until:
            path = next(iter(self._waiting))
            self._take(path, self._waiting.pop(path))
        return bool(self._waiting)

    def files(self) -> Iterator[tuple[str, tuple[Symbol, ...]]]:
        """Every file's path with its definitions, as they are now; safe beside the thread that works."""
        for path, entry in tuple(self.entries.items()):
            yield path, entry.symbols

    def skipped(self) -> Counter[str]:
        """How many files have no definitions here, by reason."""
        return Counter(entry.skipped for entry in self.entries.values() if entry.skipped)

    def file(self, path: str) -> File | None:
        """A file of the tree as it is at this moment, brought up to date; None where there is none."""
        before = self.entries.get(path)
        if before is None:
            return None
        try:
            data = read(self.root, path)
        except OSError:
            return None
        if _digest(data) != before.digest:
            self._put(path, self._entry(path, before.stamp, data, before, settled=False))
        lines = data.removesuffix(b"\n").split(b"\n") if data else []
        return File(tuple(lines), self.entries[path].symbols)

    def _is_known(self, path: str, stamp: Stamp) -> bool:
        entry = self.entries.get(path)
        return entry is not None and entry.settled and entry.stamp == stamp

    def _take(self, path: str, stamp: Stamp) -> None:
        try:
            data = read(self.root, path)
        except OSError:
            self._put(path, Entry(stamp, settled=False, skipped="unreadable"))
            return
        settled = stamp[1] + SETTLED_AFTER_NS < self._walked_ns
        self._put(path, self._entry(path, stamp, data, self.entries.get(path), settled=settled))

    def _entry(self, path: str, stamp: Stamp, data: bytes, before: Entry | None, *, settled: bool) -> Entry:
        digest = _digest(data)
        if before is not None and before.digest == digest:
            return replace(before, stamp=stamp, settled=settled)
        if b"\0" in data[:_BINARY_WITHIN]:
            return Entry(stamp, settled, digest, skipped="binary")
        late = time.monotonic() + PARSE_SECONDS
        found = definitions(data, language_of_file(path) or "", lambda: time.monotonic() > late)
        return Entry(stamp, settled, digest, found or (), "" if found is not None else "slow")

    def _put(self, path: str, entry: Entry) -> None:
        self._forget(path)
        if self.symbols + len(entry.symbols) > self.most_symbols:
            entry = replace(entry, symbols=(), skipped="full")
        self.entries[path] = entry
        self.symbols += len(entry.symbols)

    def _forget(self, path: str) -> None:
        if entry := self.entries.pop(path, None):
            self.symbols -= len(entry.symbols)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=8).digest()
