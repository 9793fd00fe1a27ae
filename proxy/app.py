"""All wiring, in order: what is opened, what it is given, and when it is closed again.

`build_app` makes an app that opens its resources when it starts; `serve` runs it, with its admin port, until it is
told to stop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aiohttp import web

from proxy.artifacts.local import LocalArtifacts
from proxy.background import Background
from proxy.beginnings import Beginnings
from proxy.context import ContextEngine
from proxy.continuity import Continuity
from proxy.http import keys
from proxy.http.admin import admin_app
from proxy.http.bodies import Bodies
from proxy.http.completions import completions, plan
from proxy.http.in_flight import IN_FLIGHT
from proxy.http.logs import formatter
from proxy.http.readiness import Readiness
from proxy.http.recording import count_summary
from proxy.http.routes import add_routes
from proxy.http.server import new_app, runner
from proxy.keeping import Keeper
from proxy.metrics import Metrics
from proxy.policy_files import check_summarisers, load_policies
from proxy.retrieval.exchanges import Exchanges
from proxy.retrieval.records import RedisRecords
from proxy.settings import ConfigError, Fault, Settings, load_or_create_secret
from proxy.state.embedded import embedded_valkey
from proxy.state.redis import StateStore, redacted
from proxy.state.sessions import RedisSessions
from proxy.summaries.desk import Desk
from proxy.summaries.editing import Editor
from proxy.summaries.ledger import RedisLedger
from proxy.summaries.summariser import Summariser
from proxy.tenants import Tenants
from proxy.tokens import Counter
from proxy.upstream.catalog import Catalog
from proxy.upstream.transports import transports
from proxy.version import VERSION
from proxy.workspaces import Workspaces

log = logging.getLogger(__name__)


def build_app(settings: Settings) -> web.Application:
    """The main port's app, its parts in place; resources open when it starts, in the order of the list below."""
    app = new_app()
    catalog = Catalog(settings.models)
    counters = {encoding: Counter(encoding) for encoding in ("o200k_base", "cl100k_base")}
    secret = load_or_create_secret(settings)
    app[keys.SETTINGS] = settings
    app[keys.SECRET] = secret
    app[keys.CATALOG] = catalog
    app[keys.TENANTS] = Tenants(settings)
    app[keys.METRICS] = Metrics(catalog.names(), [tenant.name for tenant in settings.tenants], VERSION)
    app[keys.BODIES] = Bodies(settings.server.max_body_mb, settings.server.max_bodies_mb)
    policies = load_policies(settings.policies.directory)
    check_summarisers(policies, catalog.names())
    app[keys.ENGINE] = ContextEngine(policies, counters, secret)
    app[keys.WORKSPACES] = Workspaces(settings.workspaces)
    app[keys.CONTINUITY] = Continuity()
    app[keys.BACKGROUND] = Background()
    app[keys.READINESS] = Readiness(
        lambda: app[keys.STATE].ping(),  # noqa: PLW0108 -- the store opens later
        tokenizer=not any(counter.degraded for counter in counters.values()),
        catalog=True,
    )
    app.cleanup_ctx.extend([_artifacts, _state, _upstream(catalog.needs_sdk), _summaries, _workspaces, _background])
    add_routes(app, completions=completions, plan=plan)
    return app


async def _artifacts(app: web.Application) -> AsyncIterator[None]:
    settings = app[keys.SETTINGS].artifacts
    app[keys.ARTIFACTS] = LocalArtifacts(
        Path(settings.url), settings.ttl_seconds, settings.max_mb_per_session, settings.max_mb_per_tenant
    )
    app[keys.KEEPER] = Keeper(app[keys.ARTIFACTS], app[keys.METRICS])
    try:
        await asyncio.to_thread(Path(settings.url).mkdir, mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        log.warning("artifacts.url %s cannot be used (%s); originals are not kept until it can", settings.url, error)
    yield


async def _state(app: web.Application) -> AsyncIterator[None]:
    settings, metrics = app[keys.SETTINGS].state, app[keys.METRICS]
    async with AsyncExitStack() as stack:
        url = settings.url.get_secret_value()
        if settings.embedded:
            url = await stack.enter_async_context(embedded_valkey(settings.directory))
        store = app[keys.STATE] = _store(url, settings.timeout_ms, metrics)
        stack.push_async_callback(store.close)
        await store.ping()  # a store that fails is told at start, and costs the first request nothing
        app[keys.SESSIONS] = RedisSessions(store, settings.ttl_seconds)
        records = RedisRecords(store, settings.ttl_seconds)
        app[keys.EXCHANGES] = Exchanges(records, lambda: metrics.degraded("state"))
        app[keys.BEGINNINGS] = Beginnings(records, lambda: metrics.degraded("state"))
        yield


def _store(url: str, timeout_ms: int, metrics: Metrics) -> StateStore:
    try:
        return StateStore(url, timeout_ms, on_operation=metrics.state_call)
    except ValueError:  # its text may quote the password
        message = f"{redacted(url)!r} is no address of a store; use redis://HOST:PORT/0, rediss:// or unix://PATH"
        raise ConfigError([Fault("", "state.url", message)]) from None


def _upstream(with_sdk: bool) -> Callable[[web.Application], AsyncIterator[None]]:
    async def opened(app: web.Application) -> AsyncIterator[None]:
        async with transports(with_sdk) as both:
            app[keys.UPSTREAM] = both
            yield

    return opened


async def _summaries(app: web.Application) -> AsyncIterator[None]:
    metrics, ttl = app[keys.METRICS], app[keys.SETTINGS].state.ttl_seconds
    summariser = Summariser(app[keys.UPSTREAM], partial(count_summary, metrics))
    desk = Desk(summariser, RedisLedger(app[keys.STATE], ttl), metrics.summary)
    app[keys.EDITOR] = Editor(app[keys.ENGINE], desk, app[keys.CATALOG].resolve)
    yield
    await desk.close()


async def _workspaces(app: web.Application) -> AsyncIterator[None]:
    async with app[keys.WORKSPACES].kept():
        yield


async def _background(app: web.Application) -> AsyncIterator[None]:
    """Last to open, so first to close: what is still being recorded finishes while the stores are there."""
    app[keys.READINESS].started = True
    yield
    await app[keys.BACKGROUND].drain(5)


@dataclass(frozen=True, slots=True)
class Running:
    """A proxy that takes requests: `url` for agents, `admin_url` for health and metrics."""

    url: str
    admin_url: str
    app: web.Application


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Running]:
    """A proxy on its two ports; leaving drains what is under way, for the configured grace at most."""
    server = settings.server
    app = build_app(settings)
    main, admin = runner(app), runner(admin_app(app))
    try:
        await main.setup()
        await admin.setup()
        url = await _listen(main, "server.", server.host, server.port)
        admin_url = await _listen(admin, "server.admin_", server.admin_host, server.admin_port)
        yield Running(url, admin_url, app)
    finally:
        app[keys.READINESS].draining = True
        for site in main.sites:
            await site.stop()  # takes no new connections
        await app[IN_FLIGHT].end(server.shutdown_grace_seconds)
        await main.cleanup()
        await admin.cleanup()


async def _listen(on: web.AppRunner, key: str, host: str, port: int) -> str:
    """The address; `key` is what the configuration calls it, before `host` and `port`."""
    site = web.TCPSite(on, host, port)
    try:
        await site.start()
    except socket.gaierror as error:
        raise OSError(f"{key}host {host!r} is no address ({error.strerror}); use one of this machine's") from error
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(
            f"{key}port {port} on {key}host {host!r} cannot be opened ({reason}); "
            f"set {key}port to a free one, or end what holds it"
        ) from error
    bound = on.addresses[-1][1]
    return f"http://[{host}]:{bound}" if ":" in host else f"http://{host}:{bound}"


async def serve(settings: Settings, ready: Callable[[str], None]) -> None:
    """Run until SIGTERM or SIGINT; `ready` is told the addresses in one line."""
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(settings.logging.format))
    logging.basicConfig(level=settings.logging.level.upper(), handlers=[handler], force=True)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with running(settings) as proxy:
        ready(f"forebay {VERSION} ready: {proxy.url}/v1 for agents, {proxy.admin_url} for health and metrics")
        await stop.wait()
        log.info("shutting down", extra={"fields": {"grace_seconds": settings.server.shutdown_grace_seconds}})
