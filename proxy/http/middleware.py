"""The gates of the proxy in the order in which a request passes them."""

from __future__ import annotations

from proxy.http.access import access
from proxy.http.body import release_body
from proxy.http.boundary import error_boundary
from proxy.http.gate import authenticate, refuse_when_draining
from proxy.http.guard import guard
from proxy.http.in_flight import within_grace
from proxy.http.limits import within_limit
from proxy.http.request_id import name_request

MIDDLEWARES = (
    name_request,
    access,
    error_boundary,
    within_grace,
    release_body,
    guard,
    refuse_when_draining,
    authenticate,
    within_limit,
)
