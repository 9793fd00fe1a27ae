"""Rules that span sections: each yields the key at fault and the message with its remedy."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterator

from proxy.settings.extras import missing_extras
from proxy.settings.faults import Key, suggest
from proxy.settings.models import Settings

MIN_SECRET_CHARACTERS = 16

Broken = Iterator[tuple[Key, str]]


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a listener on `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listeners(settings: Settings) -> Broken:
    """Without keys only loopback; two listeners need two ports."""
    server = settings.server
    if settings.auth.mode == "none":
        for key, host in (("host", server.host), ("admin_host", server.admin_host)):
            if not is_loopback(host):
                remedy = "set auth.mode: keys, or listen on 127.0.0.1"
                yield ("server", key), f"{host} is beyond loopback and auth.mode is none; {remedy}"
    if server.port and server.port == server.admin_port:
        yield ("server", "admin_port"), f"{server.admin_port} is server.port too; give another port"
    if server.max_body_mb > server.max_bodies_mb:
        message = f"{server.max_bodies_mb} is less than max_body_mb {server.max_body_mb}; raise it"
        yield ("server", "max_bodies_mb"), message


def secret(settings: Settings) -> Broken:
    """Shared stores need one secret on every replica, and any secret must be hard to guess."""
    remedy = "generate one with `openssl rand -hex 32`"
    if settings.secret is None:
        shared = [] if settings.state.embedded else ["state.url"]
        shared += ["artifacts.url"] if settings.artifacts.url.startswith("s3://") else []
        if shared:
            yield ("secret",), f"is required where {' and '.join(shared)} can be shared; {remedy}"
    elif len(settings.secret.get_secret_value()) < MIN_SECRET_CHARACTERS:
        yield ("secret",), f"is shorter than {MIN_SECRET_CHARACTERS} characters; {remedy}"


def keys(settings: Settings) -> Broken:
    """A key leads to one tenant; mode keys needs one at least."""
    owners: dict[str, str] = {}
    for index, tenant in enumerate(settings.tenants):
        for position, key_hash in enumerate(tenant.key_hashes):
            if key_hash in owners:
                key = ("tenants", index, "key_hashes", position)
                yield key, f"is listed for {owners[key_hash]} already; a key belongs to one tenant, once"
            owners.setdefault(key_hash, tenant.name)
    if settings.auth.mode == "keys" and not owners:
        remedy = "run `forebay keys new --tenant NAME`, or set auth.mode: none on loopback"
        yield ("auth", "mode"), f"keys needs a tenant with a key; {remedy}"


_CREDENTIAL_HEADERS = frozenset({"authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie"})


def own_keys(settings: Settings) -> Broken:
    """Where clients bring their own keys, nothing of the operator's may pay for them."""
    if settings.auth.mode != "passthrough":
        return
    for index, model in enumerate(settings.models):
        for name in model.headers:
            if name.lower() in _CREDENTIAL_HEADERS:
                key = ("models", index, "headers", name)
                yield key, "would be sent with every client's key (auth.mode: passthrough); leave it out"
        for name in model.query:
            if name != "api-version":
                key = ("models", index, "query", name)
                yield key, "may be a key, and would be sent with every client's (auth.mode: passthrough); leave it out"


def names(settings: Settings) -> Broken:
    """Tenants, models and workspaces are told apart by name."""
    for section in ("tenants", "models", "workspaces"):
        seen: set[str] = set()
        for index, item in enumerate(getattr(settings, section)):
            if item.name in seen:
                yield (section, index, "name"), f"{item.name!r} is used twice; give each its own name"
            seen.add(item.name)


def upstreams(settings: Settings) -> Broken:
    """A * is filled in from the name, behind a provider that the operator chose."""
    if not settings.models:
        yield ("models",), "is empty, so every request would be refused; add one, or leave the key out"
    for index, model in enumerate(settings.models):
        key = ("models", index, "upstream")
        head, star, _ = model.upstream.partition("*")
        if star and not model.name.endswith("*"):
            yield key, f"{model.upstream!r} has a * but the name {model.name!r} has none; write the model out"
        elif model.upstream.count("*") > 1:
            yield key, f"{model.upstream!r} has more than one *; keep one"
        elif star and "/" not in head:
            yield key, f"{model.upstream!r} lets clients choose the provider; name it, as in openai/*"


def workspaces(settings: Settings) -> Broken:
    """A workspace is a folder that is there, and somebody may read it."""
    known = [tenant.name for tenant in settings.tenants]
    for index, workspace in enumerate(settings.workspaces):
        key = ("workspaces", index)
        if not workspace.path.is_dir():
            yield (*key, "path"), f"{str(workspace.path)!r} is no folder; give one that is there"
        if not workspace.tenants:
            yield (*key, "tenants"), 'is empty, so nobody could read it; name tenants, or "*" for all'
        for position, name in enumerate(workspace.tenants):
            if name != "*" and name not in known:
                remedy = '; without keys there is only "*"' if settings.auth.mode == "none" else suggest(name, known)
                yield (*key, "tenants", position), f"there is no tenant {name!r}{remedy}"
            elif name == "*" and settings.auth.mode == "passthrough":
                yield (*key, "tenants", position), "* would be anybody with any key; name tenants"


def broken(settings: Settings) -> Broken:
    """Everything that is wrong across sections."""
    for rule in (listeners, secret, keys, own_keys, names, upstreams, workspaces, missing_extras):
        yield from rule(settings)


def unknown_policies(settings: Settings, known: Collection[str]) -> Broken:
    """Every reference to a policy that is not there."""
    for index, tenant in enumerate(settings.tenants):
        if tenant.policy is not None and tenant.policy not in known:
            yield ("tenants", index, "policy"), _no_policy(tenant.policy, known)
        for position, name in enumerate(tenant.policies):
            if name not in known:
                yield ("tenants", index, "policies", position), _no_policy(name, known)
    for index, model in enumerate(settings.models):
        if model.policy not in known:
            yield ("models", index, "policy"), _no_policy(model.policy, known)


def _no_policy(name: str, known: Collection[str]) -> str:
    return f"there is no policy {name!r}{suggest(name, known)}"
