"""What the app and a request carry, typed. `app.py` fills the app's, the middleware a request's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from aiohttp import web

from proxy.artifacts import Artifacts
from proxy.background import Background
from proxy.beginnings import Beginnings
from proxy.context import ContextEngine
from proxy.continuity import Continuity
from proxy.http.bodies import Bodies
from proxy.http.readiness import Readiness
from proxy.keeping import Keeper
from proxy.metrics import Metrics
from proxy.proven import Proven, ProvenRecords
from proxy.retrieval.exchanges import Exchanges
from proxy.settings import Settings
from proxy.state import Sessions
from proxy.state.quotas import Quotas
from proxy.state.redis import StateStore
from proxy.summaries.editing import Editor
from proxy.tenants import Tenant, Tenants
from proxy.tokens import Counter
from proxy.upstream import Route, Upstream
from proxy.workspaces import Workspaces


class Catalog(Protocol):
    """What the handlers need of the catalogue."""

    def names(self) -> Iterable[str]:
        """The configured names, in order."""
        ...

    def resolve(self, name: str) -> Route:
        """Where a name leads; NotFound where nowhere."""
        ...


SETTINGS = web.AppKey("settings", Settings)
TENANTS = web.AppKey("tenants", Tenants)
METRICS = web.AppKey("metrics", Metrics)
BODIES = web.AppKey("bodies", Bodies)
READINESS = web.AppKey("readiness", Readiness)
SECRET = web.AppKey("secret", bytes)
CATALOG: web.AppKey[Catalog] = web.AppKey("catalog")
UPSTREAM: web.AppKey[Upstream] = web.AppKey("upstream")
WITH_SDK = web.AppKey("with_sdk", bool)
"""Whether LiteLLM was loaded at start."""
COUNTERS: web.AppKey[Mapping[str, Counter]] = web.AppKey("counters")
SESSIONS: web.AppKey[Sessions] = web.AppKey("sessions")
ARTIFACTS: web.AppKey[Artifacts] = web.AppKey("artifacts")
STATE = web.AppKey("state", StateStore)
ENGINE = web.AppKey("engine", ContextEngine)
EDITOR = web.AppKey("editor", Editor)
PROVEN = web.AppKey("proven", Proven)
RECORDS = web.AppKey("records", ProvenRecords)
QUOTAS = web.AppKey("quotas", Quotas)
EXCHANGES = web.AppKey("exchanges", Exchanges)
BEGINNINGS = web.AppKey("beginnings", Beginnings)
WORKSPACES = web.AppKey("workspaces", Workspaces)
KEEPER = web.AppKey("keeper", Keeper)
CONTINUITY = web.AppKey("continuity", Continuity)
BACKGROUND = web.AppKey("background", Background)

REQUEST_ID = web.RequestKey("request_id", str)
TENANT = web.RequestKey("tenant", Tenant)
HELD = web.RequestKey("held", int)
"""Bytes of this request's body that count towards the cap of bodies in flight."""
MODEL = web.RequestKey("model", str)
"""The configured name that the request's model resolved to, for log and metrics."""
STREAM = web.RequestKey("stream", bool)
OUTCOME = web.RequestKey("outcome", int)
"""The status to log and count where the head of the answer had already said another."""
PREPARED: web.RequestKey[web.StreamResponse] = web.RequestKey("prepared", web.StreamResponse)
"""The answer whose head is on its way; nothing else can be answered then."""
