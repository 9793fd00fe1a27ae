"""The proof of the dashboards, shorter than `python -m deploy.proof` runs it; and that it can fail."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import ClientSession, web

from deploy.dashboards import DASHBOARDS
from deploy.proof.__main__ import chosen, prove
from deploy.proof.prometheus import Prometheus, prometheus
from tests.deploy.deployed import tool

TWO_FOR_ONE = 'vector(1) + on () (label_replace(vector(1), "x", "1", "", "") or vector(2))'


async def test_every_panel_of_every_dashboard_has_data(capsys: pytest.CaptureFixture[str]):
    tool("prometheus", "apt-get install prometheus")
    ended = await prove(seconds=10)
    printed = capsys.readouterr().out
    assert ended == 0, printed
    assert [panel.title for board in DASHBOARDS for panel in board.panels() if panel.title not in printed] == []


async def test_what_is_not_scraped_has_no_data_and_a_rule_that_cannot_be_evaluated_is_told(tmp_path: Path):
    tool("prometheus", "apt-get install prometheus")
    rules = tmp_path / "rules.yaml"
    rules.write_text(f"groups: [{{name: broken, rules: [{{record: a, expr: '{TWO_FOR_ONE}'}}]}}]")
    async with ClientSession() as http, prometheus(await nowhere(), rules, tmp_path, http) as server:
        assert await server.query("forebay_requests_total") == []
        assert await server.query("vector(0) / 0") == []
        assert "duplicate series" in await evaluated(server)


async def evaluated(server: Prometheus) -> str:
    """What is wrong with the one rule, once the server has tried it."""
    for _ in range(300):
        if (told := await server.broken_rules()) != ["a: unknown"]:
            return " ".join(told)
        await asyncio.sleep(0.1)
    raise TimeoutError("the rule was never evaluated")


def test_a_query_is_asked_without_any_variable_left():
    exprs = [chosen(query.expr) for board in DASHBOARDS for panel in board.panels() for query in panel.queries]
    assert [expr for expr in exprs if "$" in expr] == []


async def nowhere() -> str:
    """An address at which nobody listens any more."""
    runner = web.AppRunner(web.Application())
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    await runner.cleanup()
    return f"{host}:{port}"
