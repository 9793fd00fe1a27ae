"""A workspace of 5,000 files: what indexing, searching and seeing an edit take, and what it holds in memory.

    python -m benchmarks.workspace [FILES]

The files are made up, about 40 lines each, in ten languages. "Longest pause" is how late a timer of the event loop
came while the index was made: what the requests of others feel of it.
"""

# ruff: noqa: E501 -- texts of other languages

from __future__ import annotations

import asyncio
import contextlib
import gc
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from proxy.retrieval.pages import Room
from proxy.settings import WorkspaceSettings
from proxy.workspaces import Told, Workspaces
from proxy.workspaces.index import SETTLED_AFTER_NS

FILES = 5_000
ROOM = Room(2_000, lambda text: len(text) // 4 + 1)
TENANT = "bench"

_BRACES = "    {type} {method}({type} value) {{\n        {type} total = value + {n};\n        return total;\n    }}\n"
_LANGUAGES = {
    "py": ("class {owner}:\n", "    def {method}(self, value):\n        total = value + {n}\n        return total\n\n", ""),
    "js": ("class {owner} {{\n", "  {method}(value) {{\n    const total = value + {n};\n    return total;\n  }}\n", "}\n"),
    "ts": ("export class {owner} {{\n", "  {method}(value: number): number {{\n    return value + {n};\n  }}\n\n", "}\n"),
    "java": ("public class {owner} {{\n", _BRACES.replace("{type}", "int"), "}\n"),
    "cs": ("class {owner} {{\n", _BRACES.replace("{type}", "int"), "}\n"),
    "go": ("package p\n\ntype {owner} struct{{}}\n", "func (o {owner}) {method}(value int) int {{\n\treturn value + {n}\n}}\n\n", ""),
    "rs": ("struct {owner};\nimpl {owner} {{\n", "    fn {method}(&self, value: i32) -> i32 {{\n        value + {n}\n    }}\n\n", "}\n"),
    "c": ("struct {owner} {{ int a; }};\n", "int {owner}_{method}(int value)\n{{\n    return value + {n};\n}}\n\n", ""),
    "rb": ("class {owner}\n", "  def {method}(value)\n    total = value + {n}\n    total\n  end\n", "end\n"),
    "php": ("<?php\nclass {owner} {{\n", "    function {method}(int $value): int {{\n        return $value + {n};\n    }}\n\n", "}\n"),
}  # fmt: skip


def make(root: Path, files: int) -> int:
    """Write the files; how many lines they have."""
    lines = 0
    for number in range(files):
        end, (head, method, foot) = list(_LANGUAGES.items())[number % len(_LANGUAGES)]
        text = head.format(owner=f"Owner{number}")
        for n in range(8):
            text += method.format(owner=f"Owner{number}", method=f"step_{number % 700}_{n}", n=n)
        text += foot
        lines += text.count("\n")
        folder = root / f"part{number // 500}" / f"sub{number // 50 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file{number}.{end}").write_text(text)
    return lines


@contextmanager
def pauses() -> Iterator[list[float]]:
    """How late each timer of a millisecond came."""
    late: list[float] = []

    async def tick() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            late.append(time.perf_counter() - began - 0.001)

    task = asyncio.ensure_future(tick())
    try:
        yield late
    finally:
        task.cancel()


async def timed(ask: Callable[[], Awaitable[Told | None]], times: int = 1) -> float:
    """The median of so many runs, in milliseconds."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        await ask()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1_000


def memory_mb() -> float:
    """What the process holds now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


async def measure(root: Path) -> None:
    """Print the table."""
    before = memory_mb()
    workspaces = Workspaces([WorkspaceSettings(name="bench", path=root, tenants=(TENANT,))])

    def search(query: str) -> Callable[[], Awaitable[Told]]:
        return lambda: workspaces.search(TENANT, query, ROOM)

    def row(what: str, value: float, unit: str = "ms") -> None:
        print(f"{what:<58}{value:>10.1f} {unit}")

    with pauses() as late:
        row("index, cold", await timed(workspaces.warm))
    row("  longest pause of the event loop meanwhile", max(late) * 1_000)
    row("  memory that it took", memory_mb() - before, "MB")
    row("search right after (files changed in the last 2 s are", await timed(search("step 42")))
    print("  read again, once)")
    await asyncio.sleep(SETTLED_AFTER_NS / 1e9 + 0.5)
    await timed(search("step 42"))
    with pauses() as late:
        for query in ("step_42_3", "Owner1234.step_534_2", "step 42", "own"):
            row(f"search {query!r}, warm", await timed(search(query), 15))
        row("load by name, warm", await timed(lambda: workspaces.load(TENANT, "Owner1234", ROOM), 15))
    row("  longest pause of the event loop meanwhile", max(late) * 1_000)
    row("search right after an edit, which it sees", await seen(root, workspaces))
    row("20 searches at once, until the last is answered", await timed(lambda: together(search("step 42"))))
    await workspaces.close()


async def together(ask: Callable[[], Awaitable[Told]]) -> None:
    """Twenty at once."""
    await asyncio.gather(*(ask() for _ in range(20)))


async def seen(root: Path, workspaces: Workspaces) -> float:
    """The median time of a search behind an edit, over ten edits."""
    file = root / "part3" / "sub4" / "edited.py"
    taken = []
    for number in range(10):
        file.write_text(f"def edited_{number}():\n    pass\n")
        began = time.perf_counter()
        told = await workspaces.search(TENANT, f"edited_{number}", ROOM)
        taken.append(time.perf_counter() - began)
        if f"function edited_{number}" not in told.text:
            raise SystemExit(f"the edit was not seen: {told.text}")
    return statistics.median(taken) * 1_000


def main() -> None:
    """Make the files, measure, clean up."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(KeyboardInterrupt):
        lines = make(Path(folder), files)
        print(f"{files} files, {lines / files:.0f} lines each\n")
        asyncio.run(measure(Path(folder)))


if __name__ == "__main__":
    main()
