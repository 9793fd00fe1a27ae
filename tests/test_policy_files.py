"""An operator's policy file that cannot be read is refused in one line that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.policy_files import check_summarisers, load_policies
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


@pytest.mark.parametrize(("names", "is_known"), [(["small"], True), (["sm*"], True), (["*"], True), (["large"], False)])
def test_a_summariser_must_be_a_configured_model(names: list[str], is_known: bool, tmp_path: Path) -> None:
    (tmp_path / "brief.yaml").write_text("extends: default\nhistory: {then: summarise}\nsummarise: {model: small}\n")
    policies = load_policies(tmp_path)
    if is_known:
        check_summarisers(policies, names)
        return
    with pytest.raises(ConfigError, match=r"policy brief.*'small' is no configured model"):
        check_summarisers(policies, names)


def test_a_summariser_that_nobody_asks_may_be_anything(tmp_path: Path) -> None:
    (tmp_path / "brief.yaml").write_text("extends: default\nsummarise: {model: small}\n")
    check_summarisers(load_policies(tmp_path), [])
