"""An empty folder and no FOREBAY_ variable: what a test does not set is not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from proxy.settings import ConfigError, Settings, load_settings

HASH = "sha256:" + "ab" * 32

Write = Callable[[dict[str, Any]], str]


@pytest.fixture(autouse=True)
def _bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):  # noqa: TID251 -- the test clears it
        if name.upper().startswith("FOREBAY_") or name == "OPENAI_API_KEY":
            monkeypatch.delenv(name)


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Settings]:
    """Settings from a file with these sections; keyless unless they say otherwise."""

    def load(**sections: Any) -> Settings:
        path = tmp_path / "f.yaml"
        path.write_text(yaml.safe_dump({"auth": {"mode": "none"}} | sections))
        return load_settings("f.yaml")

    return load


@pytest.fixture
def faults(load: Callable[..., Settings]) -> Callable[..., list[str]]:
    """The lines with which a file of these sections is refused."""

    def faults(**sections: Any) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(**sections)
        return str(caught.value).split("\n")

    return faults
