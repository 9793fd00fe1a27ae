"""The audit counts a body's fixed part as the proxy does when the body comes through it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from policies.audit import audit
from policies.audit.sections import cut
from proxy.app import running
from proxy.audit.fixed import prompt_of
from proxy.audit.reading import read
from proxy.demo.config import demo_settings
from proxy.tokens import Counter, EncodingName
from tests.docs.pages import PAGES, name_of
from tests.scripted_upstream import ScriptedUpstream

CASES = Path(__file__).parents[2] / "benchmarks" / "audit"

IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
TOOLS = json.loads((CASES / "security-review-dense.json").read_text())["tools"]
BODIES: dict[str, dict[str, Any]] = {
    "text and tools": {"messages": [{"role": "system", "content": "# Rules\nRead.\n\n# Words\nMove."}], "tools": TOOLS},
    "two messages, one with a name": {
        "messages": [
            {"role": "system", "content": "You review pull requests."},
            {"role": "developer", "name": "quay", "content": [{"type": "text", "text": "Read."}, IMAGE]},
        ],
        "response_format": {"type": "json_schema", "json_schema": {"name": "verdict", "schema": {"type": "object"}}},
    },
    "functions": {"messages": [], "functions": [one["function"] for one in TOOLS]},
}


def loaded(path: Path) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(path.read_text())
    return body


def audited(path: Path) -> int:
    counter = Counter("o200k_base")
    found = audit(prompt_of(read(path).body, counter.count), counter.count)
    assert sum(row.tokens for row in found.rows) + found.framing == found.tokens
    return found.tokens


@pytest.mark.parametrize("path", PAGES, ids=name_of)
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_a_text_cut_into_sections_weighs_what_it_weighs_whole(path: Path, encoding: EncodingName):
    count = Counter(encoding).count
    text = path.read_text(encoding="utf-8")
    assert sum(count(section.text) for section in cut(text)) == count(text)


async def system_used(body: dict[str, Any], folder: Path, mode: str) -> tuple[int, int]:
    """What the proxy's header says that the system section uses, and what the proxy itself added to the request."""
    async with (
        ScriptedUpstream() as upstream,
        running(demo_settings(upstream.url, folder)) as proxy,
        ClientSession() as client,
        client.post(
            f"{proxy.url}/v1/chat/completions", json={**body, "model": "demo-32k"}, headers={"x-context-mode": mode}
        ) as answer,
    ):
        assert answer.status == 200
        (used,) = re.findall(r"system=(\d+)/", answer.headers["x-context-budget"])
        return int(used), int(answer.headers["x-context-added-tokens"])


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("mode", ["observe", "enforce"])
async def test_the_total_is_what_the_budget_header_says(name: str, mode: str, tmp_path: Path):
    body = {**BODIES[name], "messages": [*BODIES[name]["messages"], {"role": "user", "content": "Go."}]}
    path = tmp_path / "body.json"
    path.write_text(json.dumps({**body, "model": "m"}))
    used, added = await system_used(body, tmp_path, mode)
    assert audited(path) == used - added


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
async def test_so_it_does_for_the_cases_of_the_docs(path: Path, tmp_path: Path):
    used, added = await system_used(loaded(path), tmp_path, "observe")
    assert audited(path) == used - added
