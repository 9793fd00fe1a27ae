from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.workspaces.yard import Yard, opened, settings


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncIterator[Yard]:
    root = tmp_path / "yard"
    root.mkdir()
    async with opened([settings("yard", root, "t")]) as workspaces:
        yield Yard(root, workspaces)
