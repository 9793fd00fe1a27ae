"""Two requests that keep the same original at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.artifacts import local
from proxy.artifacts.local import LocalArtifacts

LOCATOR = "art_aaaabbbbcccc"


async def test_a_put_that_saw_no_file_leaves_alone_what_another_has_written_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first = LocalArtifacts(tmp_path, 1000, 10, 10)
    second = LocalArtifacts(tmp_path, 1000, 10, 10)
    assert await first.put("t", "art_zzzzzzzzzzzz", "result", "other", "s1")  # the tenant's folder is there
    real = local.read

    def slow_to_notice(*arguments: object) -> object:
        """The file appears right after this put has looked for it."""
        monkeypatch.setattr(local, "read", real)
        try:
            return real(*arguments)  # type: ignore[arg-type]
        finally:
            assert second._put("t", LOCATOR, "result", "text", "s2")

    monkeypatch.setattr(local, "read", slow_to_notice)
    assert await first.put("t", LOCATOR, "result", "text", "s1")
    kept = await first.get("t", LOCATOR)
    assert kept is not None
    assert set(kept.sessions) == {"s1", "s2"}
