"""`python -m deploy.proof`: run it, print every panel with its query and its value now; 1 if one has none."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from aiohttp import ClientSession

from deploy.dashboards import DASHBOARDS, RULES
from deploy.dashboards.panels import Dashboard, Panel
from deploy.proof.prometheus import Prometheus, Sample, prometheus
from deploy.proof.provider import provider
from deploy.proof.settings import TENANT, proof_settings
from deploy.proof.traffic import Agents
from proxy.app import running
from proxy.demo.prompt_cache import PromptCounter
from proxy.demo.upstream import ScriptedUpstream
from proxy.tokens import Counter

_CHOSEN = {"$__rate_interval": "20s", "$__range": "30s", "$model": ".*", "$tenant": TENANT}
_SHOWN = 3


def say(text: str) -> None:
    """To whoever watches, at once."""
    print(text, flush=True)  # noqa: T201 -- a command


def chosen(expr: str) -> str:
    """A panel's query as Grafana would send it: all models, the tenant of the proof, the last seconds."""
    for variable, value in _CHOSEN.items():
        expr = expr.replace(variable, value)
    return expr


async def prove(seconds: float = 30) -> int:
    """Let agents work so long, look at every panel and rule, judge."""
    upstream = ScriptedUpstream(PromptCounter(Counter("o200k_base").count))
    with TemporaryDirectory(prefix="forebay-proof-") as name:
        folder = Path(name)
        async with (
            ClientSession() as http,
            upstream.serve() as demo_url,
            provider() as provider_url,
            running(proof_settings(demo_url, provider_url, folder)) as proxy,
            prometheus(proxy.admin_url.removeprefix("http://"), RULES, folder, http) as server,
        ):
            say(f"agents work for {seconds:g} s, scraped every second ...")
            await Agents(f"{proxy.url}/v1", upstream, http).work(seconds)
            empty = [line for board in DASHBOARDS for line in await _board(board, server)]
            broken = await server.broken_rules()
    for line in (*empty, *broken):
        say(f"NOT well: {line}")
    return 1 if empty or broken else 0


async def _board(board: Dashboard, server: Prometheus) -> list[str]:
    """Print a dashboard's panels; those of its queries that have no data."""
    empty = []
    for panel in board.panels():
        for query in panel.queries:
            expr = chosen(query.expr)
            samples = await server.query(expr)
            say(f"{board.name} / {panel.title}: {_told(panel, samples)}\n    {expr}")
            if not samples:
                empty.append(f"{board.name} / {panel.title} has no data for {expr}")
    return empty


def _told(panel: Panel, samples: list[Sample]) -> str:
    if not samples:
        return "NO DATA"
    largest = sorted(samples, key=lambda sample: -sample.value)
    shown = [f"{' '.join(sample.labels.values()) or 'all'} {sample.value:.4g}" for sample in largest[:_SHOWN]]
    more = f" and {len(samples) - _SHOWN} more" if len(samples) > _SHOWN else ""
    return f"{', '.join(shown)}{more} [{panel.unit}]"


if __name__ == "__main__":
    sys.exit(asyncio.run(prove()))
