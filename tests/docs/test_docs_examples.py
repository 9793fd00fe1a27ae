"""The examples of the pages: configurations load, policies load, the demo prints what is shown, the agent runs."""

from __future__ import annotations

import asyncio
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest
import yaml

from policies.schema import Policy
from proxy.app import running
from proxy.demo.config import demo_settings
from proxy.demo.run import run
from proxy.policy_files import load_policies
from proxy.settings import Settings, load_settings
from tests.docs.pages import fences
from tests.scripted_upstream import ScriptedUpstream


@pytest.mark.parametrize("text", fences("yaml"))
def test_every_yaml_block_is_a_configuration_or_a_policy_that_loads(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    written = yaml.safe_load(text)
    if written.keys() <= Policy.model_fields.keys() | {"extends"}:
        (tmp_path / "own.yaml").write_text(text)
        assert "own" in load_policies(tmp_path)
        return
    assert written.keys() <= Settings.model_fields.keys()
    for name in re.findall(r"env:(\w+)", text):
        monkeypatch.setenv(name, "a-key-for-the-test")
    (tmp_path / "forebay.yaml").write_text(text)
    load_settings(str(tmp_path / "forebay.yaml"))


@pytest.fixture(scope="module")
def demo() -> list[str]:
    """The lines that `forebay demo` prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert asyncio.run(run(keep=False)) == 0
    return printed.getvalue().splitlines()


def same(shown: str, printed: str) -> bool:
    """The same words and about the same numbers: each run has another secret, so locators of other tokens."""
    if re.findall(r"[a-z]+", shown) != re.findall(r"[a-z]+", printed):
        return False
    one, other = (
        [float(text.replace(",", "")) for text in re.findall(r"[\d.,]*\d", line)] for line in (shown, printed)
    )
    return len(one) == len(other) and one == pytest.approx(other, rel=0.02)


@pytest.mark.parametrize("text", fences("text", "demo"))
def test_the_readme_shows_the_demo_as_it_prints(text: str, demo: list[str]):
    shown = [line for line in text.splitlines() if line]
    assert [line for line in shown if not any(same(line, printed) for printed in demo)] == []


@pytest.mark.parametrize("text", fences("python", "agent"))
async def test_the_readmes_agent_gets_its_answer(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    async with ScriptedUpstream() as upstream, running(demo_settings(upstream.url, tmp_path)) as proxy:
        program = text.replace("http://127.0.0.1:8080", proxy.url).replace("gpt-5", "demo-32k")
        await asyncio.to_thread(exec, program, {})
    tokens, _, answer = capsys.readouterr().out.partition(" ")
    assert int(tokens) > 0
    assert answer.strip()
