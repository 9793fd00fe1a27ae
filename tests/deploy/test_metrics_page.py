"""The metrics page of a proxy at work, as Prometheus reads it."""

from __future__ import annotations

from pathlib import Path

from aiohttp import ClientSession

from proxy.app import running
from proxy.demo.config import demo_settings
from tests.deploy.deployed import run, series, tool, used
from tests.scripted_upstream import ScriptedUpstream, error


async def scraped(folder: Path) -> str:
    """The page after one answer and one error."""
    async with ScriptedUpstream() as upstream, running(demo_settings(upstream.url, folder)) as proxy:
        upstream.reply(error(500))
        async with ClientSession() as http:
            body = {"model": "demo-32k", "messages": [{"role": "user", "content": "Go."}]}
            for status in (500, 200):
                async with http.post(f"{proxy.url}/v1/chat/completions", json=body) as answer:
                    assert answer.status == status
            async with http.get(f"{proxy.admin_url}/metrics") as page:
                return await page.text()


async def test_promtool_has_nothing_to_say_of_the_metrics(tmp_path: Path):
    promtool = tool("promtool", "apt-get install prometheus")
    assert run(promtool, "check", "metrics", stdin=await scraped(tmp_path)) == ""


async def test_the_series_that_rules_and_panels_are_held_against_are_those_of_the_page(tmp_path: Path):
    lines = (await scraped(tmp_path)).splitlines()
    shown = {name for line in lines if not line.startswith("#") for name in used(line)}
    assert {"forebay_requests_total", "forebay_upstream_errors_total", "forebay_request_seconds_bucket"} <= shown
    assert sorted(shown - set(series())) == []
