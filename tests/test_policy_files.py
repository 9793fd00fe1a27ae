"""An operator's policy file that cannot be read is refused in one line that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.policy_files import load_policies
from proxy.settings import ConfigError


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"extends: \xff\n", "is not UTF-8; save it as UTF-8"),
        (b"extends: " + b"[" * 5000, "is nested too deeply; write it flatter"),
        (b"extends: 2024-99-99\n", "holds a malformed date or number; quote it"),
        (b"- a\n", "holds no mapping; write `section:` lines"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "ours.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_policies(tmp_path)
    assert str(caught.value) == f"{path}: {told}"


def test_a_folder_with_a_policys_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ours.yaml").mkdir()
    with pytest.raises(ConfigError, match=r"ours\.yaml: Is a directory; give a readable file"):
        load_policies(tmp_path)


def test_an_empty_file_is_a_policy_of_defaults(tmp_path: Path) -> None:
    (tmp_path / "ours.yaml").write_text("")
    assert "ours" in load_policies(tmp_path)
