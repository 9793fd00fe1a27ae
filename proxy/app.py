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

from aiohttp import web

from proxy.artifacts import opening as artifacts
from proxy.background import Background
from proxy.beginnings import Beginnings
from proxy.configured import configure
from proxy.continuity import Continuity
from proxy.http import keys
from proxy.http.admin import admin_app
from proxy.http.bodies import Bodies
from proxy.http.completions import completions, plan
from proxy.http.in_flight import IN_FLIGHT
from proxy.http.limits import charge
from proxy.http.live import LIVE, Live
from proxy.http.logs import log_as
from proxy.http.readiness import Readiness
from proxy.http.recording import count_summary
from proxy.http.routes import add_routes
from proxy.http.server import new_app, runner
from proxy.http.tracing import TRACER
from proxy.keeping import Keeper
from proxy.metrics import Metrics
from proxy.proven import Proven, ProvenRecords
from proxy.reloading import reload
from proxy.retrieval.exchanges import Exchanges
from proxy.retrieval.records import RedisRecords
from proxy.settings import ConfigError, Fault, Settings, load_or_create_secret
from proxy.state.embedded import embedded_valkey
from proxy.state.quotas import Quotas
from proxy.state.redis import StateStore, redacted
from proxy.state.sessions import RedisSessions
from proxy.summaries.desk import Desk
from proxy.summaries.editing import Editor
from proxy.summaries.ledger import RedisLedger
from proxy.summaries.summariser import Summariser
from proxy.tokens import Counter
from proxy.upstream import Route, Usage
from proxy.upstream.transports import transports
from proxy.version import VERSION
from proxy.workspaces import Workspaces

log = logging.getLogger(__name__)


def build_app(settings: Settings) -> web.Application:
    """The main port's app, its parts in place; resources open when it starts, in the order of the list below."""
    app = new_app()
    counters = {encoding: Counter(encoding) for encoding in ("o200k_base", "cl100k_base")}
    app[keys.COUNTERS] = counters
    app[keys.SECRET] = load_or_create_secret(settings)
    catalog = configure(app, settings)
    app[keys.WITH_SDK] = catalog.needs_sdk
    app[keys.PROVEN] = Proven()
    app[keys.METRICS] = Metrics(catalog.names(), [tenant.name for tenant in settings.tenants], VERSION)
    app[keys.BODIES] = Bodies(settings.server.max_body_mb, settings.server.max_bodies_mb)
    app[keys.WORKSPACES] = Workspaces(settings.workspaces)
    app[keys.CONTINUITY] = Continuity()
    app[keys.BACKGROUND] = Background()
    app[keys.READINESS] = Readiness(
        lambda: app[keys.STATE].ping(),  # noqa: PLW0108 -- the store opens later
        tokenizer=not any(counter.degraded for counter in counters.values()),
        catalog=True,
    )
    app.cleanup_ctx.extend(
        [_tracing, _artifacts, _state, _upstream(catalog.needs_sdk), _summaries, _workspaces, _background]
    )
    add_routes(app, completions=completions, plan=plan)
    return app


async def _tracing(app: web.Application) -> AsyncIterator[None]:
    """First to open, so last to close: what the others still do can be told."""
    endpoint = app[keys.SETTINGS].tracing.otlp_endpoint
    if endpoint is None:
        yield
        return
    from proxy.tracing import opened  # noqa: PLC0415 -- an optional extra

    async with opened(endpoint) as tracer:
        app[TRACER] = tracer
        yield


async def _artifacts(app: web.Application) -> AsyncIterator[None]:
    async with artifacts.opened(app[keys.SETTINGS].artifacts, app[keys.SECRET]) as store:
        app[keys.ARTIFACTS] = store
        app[keys.KEEPER] = Keeper(store, app[keys.METRICS])
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
        app[keys.QUOTAS] = Quotas(store, settings.ttl_seconds)
        records = app[keys.RECORDS] = ProvenRecords(RedisRecords(store, settings.ttl_seconds), app[keys.PROVEN])
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

    def billed(tenant: str, route: Route, usage: Usage) -> None:
        count_summary(metrics, tenant, route, usage)
        charge(app[LIVE].app, tenant, usage)

    summariser = Summariser(app[keys.UPSTREAM], billed)
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
    live: Live


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Running]:
    """A proxy on its two ports; leaving drains what is under way, for the configured grace at most."""
    server = settings.server
    app = build_app(settings)
    main, admin = Live(app), runner(admin_app(app))
    try:
        await main.setup()
        await admin.setup()
        url = await _listen(main.front, "server.", server.host, server.port)
        admin_url = await _listen(admin, "server.admin_", server.admin_host, server.admin_port)
        yield Running(url, admin_url, app, main)
    finally:
        app[keys.READINESS].draining = True
        for site in main.front.sites:
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


@asynccontextmanager
async def _reloading(live: Live, changed: asyncio.Event, load: Callable[[], Settings]) -> AsyncIterator[None]:
    """Reload each time that `changed` is set, one after the other."""

    async def wait() -> None:
        while True:
            await changed.wait()
            changed.clear()
            if await reload(live, load):
                log_as(live.app[keys.SETTINGS].logging)

    task = asyncio.create_task(wait())
    yield
    task.cancel()


async def serve(settings: Settings, ready: Callable[[str], None], load: Callable[[], Settings]) -> None:
    """Run until SIGTERM or SIGINT; `ready` is told the addresses in one line. SIGHUP takes on what `load` reads."""
    log_as(settings.logging)
    stop, changed = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_signal_handler(signal.SIGHUP, changed.set)
    async with running(settings) as proxy, _reloading(proxy.live, changed, load):
        ready(f"forebay {VERSION} ready: {proxy.url}/v1 for agents, {proxy.admin_url} for health and metrics")
        await stop.wait()
        log.info("shutting down", extra={"fields": {"grace_seconds": settings.server.shutdown_grace_seconds}})
