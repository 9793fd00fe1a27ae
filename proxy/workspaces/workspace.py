"""One folder: an index that is brought up to date before each answer, in threads of its own.

Every question waits for a walk over the tree that began after it was asked, so it sees the edit before it. Walking,
reading and parsing take turns in one thread, in slices, searches in another: the event loop runs on, and a disk that
hangs costs a question its patience, and holds up nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, TypeVar

from proxy.workspaces.index import MOST_SYMBOLS, File, Index
from proxy.workspaces.latest import Latest
from proxy.workspaces.matching import Match, Query, matching
from proxy.workspaces.symbol import Symbol
from proxy.workspaces.tree import MOST_FILES, Tree, walk

log = logging.getLogger(__name__)

SLICE_SECONDS = 0.02
PATIENCE_SECONDS = 10.0
"""An answer waits so long for the disk, then comes from what is read so far, and says so."""

State = Literal["whole", "partly", "gone"]
"""What an index holds: all that is there, what could be read so far, nothing that can be read."""

T = TypeVar("T")


class Workspace:
    """A named folder. Methods but `close` may be called concurrently."""

    def __init__(
        self,
        name: str,
        root: Path,
        *,
        most_files: int = MOST_FILES,
        most_symbols: int = MOST_SYMBOLS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self.name = name
        self.root = root
        self._most_files = most_files
        self._patience = patience_seconds
        self._index = Index(root, most_symbols)
        self._disk = ThreadPoolExecutor(1, thread_name_prefix=f"disk-{name}")
        self._searches = ThreadPoolExecutor(1, thread_name_prefix=f"search-{name}")
        self._latest = Latest(self._update)
        self._is_gone = False
        self._told: object = None

    async def current(self) -> State:
        """Bring the index up to date, and how far that has come after all the patience there is."""
        is_over = await self._latest.run(self._patience)
        if self._is_gone:
            return "gone"
        return "whole" if is_over else "partly"

    async def matching(self, query: Query, most: int) -> tuple[list[Match], int]:
        """The best matches as of the last update, and how many there are."""
        return await self._run(self._searches, lambda: matching(query, self._index.files(), most))

    async def marked(self, mark: int) -> list[tuple[str, Symbol]]:
        """The definitions with this mark, and their files."""
        return await self._run(self._searches, lambda: self._marked(mark))

    async def file(self, path: str) -> File | None:
        """A source file as it is now; None where there is none."""
        try:
            async with asyncio.timeout(self._patience):
                return await self._run(self._disk, lambda: self._index.file(path))
        except TimeoutError:
            return None

    async def close(self) -> None:
        """End what is under way; a thread that hangs in the disk is left to itself."""
        await self._latest.close()
        for thread in (self._disk, self._searches):
            thread.shutdown(wait=False, cancel_futures=True)

    async def _run(self, thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(thread, work)

    def _marked(self, mark: int) -> list[tuple[str, Symbol]]:
        return [(path, symbol) for path, symbols in self._index.files() for symbol in symbols if symbol.mark == mark]

    async def _update(self) -> None:
        try:
            tree = await self._run(self._disk, self._walk)
        except OSError as error:
            self._is_gone = True
            await self._run(self._disk, lambda: self._index.compare(Tree(), 0))
            self._report(f"cannot be read ({error.strerror}); nothing of it is shown until it can", logging.WARNING)
            return
        self._is_gone = False
        while await self._run(self._disk, lambda: self._index.work(SLICE_SECONDS)):
            pass
        self._report_on(tree)

    def _walk(self) -> Tree:
        now = time.time_ns()
        tree = walk(self.root, self._most_files)
        self._index.compare(tree, now)
        return tree

    def _report_on(self, tree: Tree) -> None:
        """Say what is indexed when that begins, and whenever it comes to or gets away from a bound."""
        skipped = self._index.skipped() + tree.skipped
        found = f"{len(self._index.entries)} files, {self._index.symbols} definitions"
        left_out = ", ".join(f"{count} {reason}" for reason, count in sorted(skipped.items()))
        if not tree.is_whole or skipped["full"]:
            remedy = "name narrower folders"
            self._report(f"is too large, so only a part of it is indexed ({found}); {remedy}", logging.WARNING)
        else:
            self._report(f"is indexed: {found}" + (f"; left out: {left_out}" if left_out else ""), logging.INFO)

    def _report(self, text: str, level: int) -> None:
        state = (level, self._is_gone)
        if self._told != state:
            log.log(level, "workspace %s %s", self.name, text)
        self._told = state
