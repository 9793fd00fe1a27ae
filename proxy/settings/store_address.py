"""A state store's address taken apart: one server, a cluster by some of its nodes, or a service by its sentinels.

    redis://user:password@host:6379/0        rediss:// with TLS, unix:///path for a socket
    redis+cluster://host:port,host:port      rediss+cluster:// with TLS
    redis+sentinel://host:port,host:port/service/0
                                             rediss+sentinel:// with TLS, to the sentinels too

Errors never repeat what may hold a password.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

Kind = Literal["server", "socket", "cluster", "sentinel"]
Host = tuple[str, int]

_SCHEMES: dict[str, tuple[Kind, bool]] = {
    "redis": ("server", False),
    "rediss": ("server", True),
    "unix": ("socket", False),
    "redis+cluster": ("cluster", False),
    "rediss+cluster": ("cluster", True),
    "redis+sentinel": ("sentinel", False),
    "rediss+sentinel": ("sentinel", True),
}
_SCHEMES_TOLD = "redis://, rediss://, unix://, redis+cluster:// or redis+sentinel://"
_PORTS: dict[Kind, int] = {"server": 6379, "cluster": 6379, "sentinel": 26379}
_TLS_OPTIONS = frozenset({"ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_cert_reqs", "ssl_check_hostname"})
_SENTINEL_OPTIONS = frozenset({"sentinel_username", "sentinel_password"})
_HOST = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\s\[\]:@/?#,]+))(?::(?P<port>[0-9]{1,5}))?")
_CERT_REQS = ("required", "optional", "none")


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """`path` is a socket's, `service` what the sentinels call it; `tls_options` are named as redis-py names them."""

    kind: Kind
    tls: bool = False
    hosts: tuple[Host, ...] = ()
    path: str = ""
    service: str = ""
    db: int = 0
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    sentinel_username: str | None = field(default=None, repr=False)
    sentinel_password: str | None = field(default=None, repr=False)
    tls_options: dict[str, str | bool] = field(default_factory=dict)


def store_address(url: str) -> StoreAddress:
    """The address behind a URL. ValueError says what is wrong with it, and what to give instead."""
    scheme, mark, rest = url.partition("://")
    if not (mark and rest and scheme in _SCHEMES):
        raise ValueError(f"is no store's address; give embedded, {_SCHEMES_TOLD}")
    kind, tls = _SCHEMES[scheme]
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError("is no address; write [ ] around an IPv6 host, and %5B for [ in a password") from None
    user, _, place = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    options = _options(parts.query, kind, tls)
    service, db = _target(parts, kind, options.pop("db", None))
    return StoreAddress(
        kind=kind,
        tls=tls,
        hosts=() if kind == "socket" else _hosts(place, kind, None if "@" in url else url.partition("?")[0]),
        path=unquote(parts.path) if kind == "socket" else "",
        service=service,
        db=db,
        username=unquote(name) or None,
        password=unquote(password) or None,
        sentinel_username=options.get("sentinel_username"),
        sentinel_password=options.get("sentinel_password"),
        tls_options=_tls_options(options),
    )


def _tls_options(options: dict[str, str]) -> dict[str, str | bool]:
    """Where nobody's certificate is asked for, no name in it can be either."""
    found: dict[str, str | bool] = {key: options[key] for key in options.keys() & _TLS_OPTIONS}
    if "ssl_check_hostname" in found:
        found["ssl_check_hostname"] = found["ssl_check_hostname"] == "true"
    if found.get("ssl_cert_reqs") == "none":
        found["ssl_check_hostname"] = False
    return found


def _hosts(place: str, kind: Kind, shown: str | None) -> tuple[Host, ...]:
    """Host and port of each; `shown` is the URL, if it may be repeated."""
    found: list[Host] = []
    for part in place.split(","):
        host = _HOST.fullmatch(part)
        port = int(host["port"] or _PORTS[kind]) if host else 0
        if host is None or not 0 < port <= 65535:
            named = f"{shown!r} holds" if shown else "holds"
            raise ValueError(f"{named} no usable port; give a number up to 65535, e.g. redis://host:6379/0")
        found.append((host["v6"] or host["name"], port))
    if len(found) > 1 and kind == "server":
        raise ValueError("names several hosts; give one, or use redis+cluster:// or redis+sentinel://")
    return tuple(found)


def _target(parts: SplitResult, kind: Kind, option: str | None) -> tuple[str, int]:
    """The sentinels' service and the number of the database, out of the path."""
    rest = "" if kind == "socket" else parts.path.strip("/")
    service = ""
    if kind == "sentinel":
        service, _, rest = rest.partition("/")
        if not service:
            raise ValueError(
                "names no service; write redis+sentinel://host:26379/SERVICE, the name of sentinel monitor"
            )
    written = option if option is not None else rest
    if written and not re.fullmatch(r"[0-9]{1,5}", written):
        raise ValueError("names a database that is no number; write redis://host:6379/0, and %2F for / in a password")
    if kind == "cluster" and int(written or 0):
        raise ValueError("names a database, and a cluster has only 0; leave it out")
    return unquote(service), int(written or 0)


def _options(query: str, kind: Kind, tls: bool) -> dict[str, str]:
    """What stands behind the ?; closed, so that a misspelt one is not ignored."""
    allowed = {"db"} if kind != "cluster" else set[str]()
    allowed |= (_TLS_OPTIONS if tls else set()) | (_SENTINEL_OPTIONS if kind == "sentinel" else set())
    given = dict(parse_qsl(query, keep_blank_values=True))
    unknown = sorted(name for name in given if name not in allowed)
    if unknown:
        known = ", ".join(sorted(allowed)) or "none"
        tip = "; ssl_... belongs to rediss://" if not tls else ""
        raise ValueError(f"has an option that is not known here (known: {known}){tip}; write & in a password as %26")
    if given.get("ssl_check_hostname", "true") not in ("true", "false"):
        raise ValueError("has ssl_check_hostname that is neither true nor false")
    if given.get("ssl_cert_reqs", "required") not in _CERT_REQS:
        raise ValueError(f"has ssl_cert_reqs that is none of {', '.join(_CERT_REQS)}")
    return given
