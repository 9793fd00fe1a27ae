"""The law of the index: after any edits it knows what a fresh one knows."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.workspaces.workspace import Workspace

PATHS = ["a.py", "b.py", "d/a.py", "d/e/a.go", "d", "d/e", ".gitignore", "x.txt"]
TEXTS = [
    "def a(): pass\n",
    "def b(): pass\n",
    "class A:\n def a(self): pass\n",
    "func a() {}\n",
    "def (:\n\0",
    "",
    "d\n",
]
STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(TEXTS)),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("link"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("ask"), st.just(""), st.just("")),
)


def do(root: Path, step: str, path: str, other: str) -> None:
    """One edit; what the file system refuses is no edit."""
    file = root / path
    try:
        if step == "write":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(other)
        elif step == "delete" and file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        elif step == "delete":
            file.unlink()
        elif step == "move":
            file.rename(root / other)
        elif step == "link":
            file.symlink_to(root / other)
    except OSError:
        pass


async def known(workspace: Workspace) -> dict[str, object]:
    assert await workspace.current() == "whole"
    return {path: (entry.symbols, entry.skipped) for path, entry in workspace._index.entries.items()}


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_an_index_after_any_edits_equals_a_fresh_one(steps: list[tuple[str, str, str]]) -> None:
    asyncio.run(edited(steps))


async def edited(steps: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        kept = Workspace("kept", root)
        try:
            for step, path, other in [*steps, ("ask", "", "")]:
                if step != "ask":
                    do(root, step, path, other)
                    continue
                fresh = Workspace("fresh", root)
                assert await known(kept) == await known(fresh)
                await fresh.close()
        finally:
            await kept.close()
