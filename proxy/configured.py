"""What the configuration decides of an app and a reload replaces: models, tenants, policies and what edits by them."""

from __future__ import annotations

from aiohttp import web

from proxy.context import ContextEngine
from proxy.http import keys
from proxy.http.tracing import trace_requests
from proxy.policy_files import check_summarisers, load_policies
from proxy.settings import Settings, check_policies
from proxy.tenants import Tenants
from proxy.upstream.catalog import Catalog


def configure(app: web.Application, settings: Settings) -> Catalog:
    """Give the app its parts, of which none opens anything. ConfigError where the settings lead nowhere."""
    catalog = Catalog(settings.models)
    policies = load_policies(settings.policies.directory)
    check_policies(settings, policies)
    check_summarisers(policies, catalog.names())
    app[keys.SETTINGS] = settings
    if settings.tracing.otlp_endpoint is not None:
        trace_requests(app)
    app[keys.CATALOG] = catalog
    app[keys.TENANTS] = Tenants(settings, app[keys.SECRET])
    app[keys.ENGINE] = ContextEngine(policies, app[keys.COUNTERS], app[keys.SECRET])
    return catalog
