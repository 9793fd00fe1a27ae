"""`forebay` as its own process, in an empty folder, with an environment that the test states."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Forebay = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def forebay(tmp_path: Path) -> Forebay:
    """Run `python -m proxy ...`; keyword arguments are environment variables."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "proxy", *arguments],
            cwd=tmp_path,
            env={"PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "100", **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
