"""An object store's address taken apart.

    s3://bucket/prefix?region=eu-west-1&endpoint=https://host:9000&path_style=true

What is left out comes from the usual AWS_* variables, which the client library reads itself, and so do credentials:
they have no place in an address that `forebay check` prints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[A-Za-z0-9!_.*'()/-]*")
_OPTIONS = ("endpoint", "region", "path_style")
_PATH_STYLES = {"true": True, "false": False}
SCHEME = "s3://"


@dataclass(frozen=True, slots=True)
class BucketAddress:
    """Where artifacts are; None is for the client library, and the variables that it reads, to say."""

    bucket: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None
    path_style: bool | None = None


def bucket_address(url: str) -> BucketAddress:
    """The address behind a URL. ValueError says what is wrong with it, and what to give instead."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError("is no address; give s3://bucket/prefix") from None
    if "@" in parts.netloc:
        raise ValueError("holds credentials; give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    if not _BUCKET.fullmatch(parts.netloc):
        raise ValueError(
            f"{parts.netloc!r} is no bucket's name; use 3 to 63 of a-z 0-9 . - as in s3://bucket/prefix, "
            "and ?endpoint= for a host"
        )
    prefix = unquote(parts.path).strip("/")
    if parts.fragment or not _PREFIX.fullmatch(prefix) or {"", ".", ".."} & set((prefix or "x").split("/")):
        raise ValueError("has no plain prefix; use letters, digits and ! - _ . * ' ( ) between single slashes")
    options = _options(parts.query)
    return BucketAddress(
        parts.netloc,
        prefix,
        _endpoint(options.get("endpoint")),
        options.get("region"),
        _path_style(options.get("path_style")),
    )


def _options(query: str) -> dict[str, str]:
    pairs = parse_qsl(query, keep_blank_values=True)
    for name, value in pairs:
        if name not in _OPTIONS:
            raise ValueError(
                f"has an option {name[:40]!r} that is not known; known are {', '.join(_OPTIONS)}, "
                "the rest is set by AWS_* variables"
            )
        if not value:
            raise ValueError(f"gives {name} no value; give one, or leave {name} out")
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("gives an option twice; give each once")
    return dict(pairs)


def _endpoint(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        parts = urlsplit(value)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or parts.username is not None or parts.query or parts.fragment:
        raise ValueError("has an endpoint that is no plain address; give one such as endpoint=https://host:9000")
    return value.rstrip("/")


def _path_style(value: str | None) -> bool | None:
    if value is None:
        return None
    if value not in _PATH_STYLES:
        raise ValueError(f"has path_style={value[:40]}; give true or false")
    return _PATH_STYLES[value]
