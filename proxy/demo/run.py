"""`forebay demo` from start to end: upstream, proxy, three runs of two sessions, what was seen, the metrics."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from aiohttp import ClientSession

from proxy.app import running
from proxy.demo.client import Exchange, play
from proxy.demo.coding import coding
from proxy.demo.config import LONG, ROOMY, TIGHT, DemoModel, demo_settings
from proxy.demo.figures import Run, row, untouched_prompts
from proxy.demo.prompt_cache import PromptCounter
from proxy.demo.review import review
from proxy.demo.session import Session
from proxy.demo.table import blocks_for, report
from proxy.demo.upstream import ScriptedUpstream
from proxy.tokens import Counter

_METRIC_LINES = 15


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a running proxy answers: `base_url` ends in `/v1`, `admin_url` has no path."""

    base_url: str
    admin_url: str


@asynccontextmanager
async def running_proxy(upstream_url: str) -> AsyncIterator[Addresses]:
    """A whole proxy on free ports of loopback, its models at `upstream_url`; closed on leaving."""
    with TemporaryDirectory(prefix="forebay-demo-") as folder:
        async with running(demo_settings(upstream_url, Path(folder))) as proxy:
            yield Addresses(f"{proxy.url}/v1", proxy.admin_url)


async def run(keep: bool) -> int:
    """Play both sessions and print what was seen; 0 only if every request was valid."""
    upstream = ScriptedUpstream(PromptCounter(Counter("o200k_base").count))
    async with upstream.serve() as upstream_url, running_proxy(upstream_url) as proxy:
        valid = await show(upstream, proxy)
        if keep:
            await _stay(proxy)
    return 0 if valid else 1


async def show(upstream: ScriptedUpstream, proxy: Addresses) -> bool:
    """The three runs and the metrics, printed; whether every request was valid."""
    print(f"proxy {proxy.base_url}, metrics {proxy.admin_url}/metrics, upstream scripted\n")
    valid = True
    async with ClientSession() as http:
        for session, model in ((review(), ROOMY), (review(), TIGHT), (coding(), LONG)):
            played = await _played(session, model, proxy.base_url, upstream, http)
            print(report(played, blocks_for(sys.stdout.encoding)), flush=True)
            valid = valid and played.valid
        print(await _metrics(http, proxy.admin_url))
    print("every request was valid" if valid else "NOT every request was valid; see the faults above")
    return valid


async def _played(
    session: Session, model: DemoModel, base_url: str, upstream: ScriptedUpstream, http: ClientSession
) -> Run:
    exchanges: list[Exchange] = []
    async for exchange in play(session, model.name, base_url, upstream, http):
        exchanges.append(exchange)
        _progress(f"{session.name} at {model.window:,}: request {len(exchanges)} of {len(session.steps)}")
    _progress("")
    rows = []
    for step, (exchange, untouched) in enumerate(
        zip(exchanges, untouched_prompts(exchanges, upstream.counter), strict=True)
    ):
        quotes = sum(item.needed == step for item in session.evidence)
        rows.append(row(exchange, upstream.seen.get(exchange.name), untouched, quotes))
    return Run(session.name, model.name, model.window, model.policy, tuple(rows))


async def _metrics(http: ClientSession, admin_url: str) -> str:
    """The first samples of the proxy's own metrics, without what only a machine reads."""
    async with http.get(f"{admin_url}/metrics") as response:
        lines = [line for line in (await response.text()).splitlines() if line.startswith("forebay_")]
    legible = [line for line in lines if "_bucket{" not in line and "_created{" not in line]
    title = f"{admin_url}/metrics has {len(lines)} samples; the first without histogram buckets:"
    return "\n".join([title, *legible[:_METRIC_LINES], ""])


def _progress(text: str) -> None:
    """One line on a terminal, overwritten as it changes; nothing where nobody watches."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


async def _stay(proxy: Addresses) -> None:
    print(
        "the proxy stays; point an agent at it:\n"
        f"  export OPENAI_BASE_URL={proxy.base_url} OPENAI_API_KEY=demo\n"
        f"  models {ROOMY.name}, {TIGHT.name}, {LONG.name}; metrics {proxy.admin_url}/metrics\n"
        "Ctrl-C ends it",
        flush=True,
    )
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    with suppress(asyncio.CancelledError):
        await stop.wait()
