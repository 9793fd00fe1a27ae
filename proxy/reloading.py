"""A changed configuration takes effect while requests go on, or is refused and the old one goes on.

Models, tenants, policies, `auth.allow_mode_off` and `logging` change at run time. The rest decides what was opened at
start (ports, stores, workspaces) or what everything is keyed by: it waits for a restart, and the log says so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator

from aiohttp import web
from pydantic import BaseModel

from proxy.configured import configure
from proxy.http import keys
from proxy.http.completions import completions, plan
from proxy.http.live import Live
from proxy.http.routes import add_routes
from proxy.http.server import new_app
from proxy.settings import ConfigError, Fault, Settings
from proxy.settings.faults import dotted
from proxy.settings.rules import broken
from proxy.summaries.editing import Editor

log = logging.getLogger(__name__)

AT_START = ("secret", "server", "state", "artifacts", "workspaces", "metrics", "tracing")
"""Sections that a reload leaves as they are, beside `auth.mode`."""


async def reload(live: Live, load: Callable[[], Settings]) -> bool:
    """Whether the configuration that `load` reads has taken effect; if not, the log says why, and nothing changed."""
    before = live.app[keys.SETTINGS]
    try:
        read = await asyncio.to_thread(load)
        settings = merged(before, read)
        app = await asyncio.to_thread(successor, live.app, settings)
    except ConfigError as error:
        for fault in error.faults:
            log.error("configuration not reloaded, the old one goes on: %s", fault)  # noqa: TRY400 -- no traceback
        return False
    app[keys.METRICS].configured(app[keys.CATALOG].names(), [tenant.name for tenant in settings.tenants])
    await live.replace(app)
    log.info("configuration reloaded", extra={"fields": {"changed": list(differing(before, settings))}})
    waiting = list(differing(settings, read))
    if waiting:
        log.warning("configuration: a restart is needed for %s; the old values go on", ", ".join(waiting))
    return True


def merged(running: Settings, read: Settings) -> Settings:
    """What was read, with what only a restart changes as it is. ConfigError where the two do not go together."""
    kept: dict[str, object] = {name: getattr(running, name) for name in AT_START}
    kept["auth"] = running.auth.model_copy(update={"allow_mode_off": read.auth.allow_mode_off})
    settings = read.model_copy(update=kept)
    faults = [
        Fault("", dotted(key), f"{message} (as the running proxy has it; restart it to change both together)")
        for key, message in broken(settings)
    ]
    if faults:
        raise ConfigError(faults)
    return settings


def successor(before: web.Application, settings: Settings) -> web.Application:
    """An app for these settings that shares all that is open with the one before. ConfigError where it cannot."""
    app = new_app()
    for key in before:
        app[key] = before[key]
    catalog = configure(app, settings)
    if catalog.needs_sdk and not before[keys.WITH_SDK]:
        message = "lead to a provider that needs LiteLLM, which is loaded at start; restart, or set transport: relay"
        raise ConfigError([Fault("", "models", message)])
    app[keys.EDITOR] = Editor(app[keys.ENGINE], before[keys.EDITOR].desk, catalog.resolve)
    add_routes(app, completions=completions, plan=plan)
    return app


def differing(one: BaseModel, other: BaseModel, above: str = "") -> Iterator[str]:
    """The keys whose values differ, never the values."""
    for name in type(one).model_fields:
        mine, theirs = getattr(one, name), getattr(other, name)
        if isinstance(mine, BaseModel) and isinstance(theirs, BaseModel):
            yield from differing(mine, theirs, f"{above}{name}.")
        elif mine != theirs:
            yield f"{above}{name}"
