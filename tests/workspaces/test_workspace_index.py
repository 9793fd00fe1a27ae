from __future__ import annotations

from pathlib import Path

import pytest

from proxy.workspaces import index as index_module
from proxy.workspaces.index import Index
from proxy.workspaces.tree import Tree

STAMP = (10**18, 10**18, 16, 1)


def names(index: Index) -> list[str]:
    while index.work(1):
        pass
    return [symbol.name for _, symbols in index.files() for symbol in symbols]


@pytest.mark.parametrize(("later_ns", "seen"), [(2_000_000_000, "two"), (2_000_000_001, "one")])
def test_a_stamp_is_trusted_once_it_is_older_than_the_coarsest_clock_ticks(
    tmp_path: Path, later_ns: int, seen: str
) -> None:
    """Two edits in one tick of the file system leave the same stamp."""
    index, tree = Index(tmp_path), Tree({"m.py": STAMP})
    (tmp_path / "m.py").write_text("def one(): pass\n")
    index.compare(tree, STAMP[1] + later_ns)
    assert names(index) == ["one"]
    (tmp_path / "m.py").write_text("def two(): pass\n")
    index.compare(tree, STAMP[1] + later_ns)
    assert names(index) == [seen]


def test_a_file_that_takes_too_long_to_read_has_no_definitions_and_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "PARSE_SECONDS", -1)
    (tmp_path / "m.py").write_text("def one(): pass\n" * 1000)
    index = Index(tmp_path)
    index.compare(Tree({"m.py": STAMP}), 0)
    assert names(index) == []
    assert index.skipped() == {"slow": 1}


def test_work_stops_after_its_time_and_goes_on_where_it_was(tmp_path: Path) -> None:
    files = {}
    for number in range(5):
        (tmp_path / f"m{number}.py").write_text(f"def f{number}(): pass\n")
        files[f"m{number}.py"] = STAMP
    index = Index(tmp_path)
    index.compare(Tree(files), 0)
    assert index.work(-1)
    assert index.waiting == 5
    assert names(index) == ["f0", "f1", "f2", "f3", "f4"]
    assert index.waiting == 0
