"""What a single value must look like: types that say what is wrong with a value, and what to give instead.

A message names the value only where it cannot hold a credential.
"""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr

from proxy.settings.bucket_address import SCHEME, bucket_address
from proxy.settings.framing import FRAMING
from proxy.settings.secret_values import Secret
from proxy.settings.store_address import store_address

# Metrics count under these names what belongs to no configured tenant.
RESERVED_TENANTS = frozenset({"local", "other", "unknown", "passthrough"})


def _key_hash(value: str) -> str:
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", value):
        raise ValueError("is not sha256: and 64 hex digits; `forebay keys new --tenant NAME` prints one")
    return value


def tenant_name(value: str) -> str:
    """The name itself, if it can be a metrics label and part of a key in every store; else ValueError."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", value):
        raise ValueError(f"{value!r} is not a tenant's name; use 1 to 64 of A-Z a-z 0-9 _ . -")
    if value in RESERVED_TENANTS:
        raise ValueError(f"{value!r} is a name that metrics use for requests without a tenant; take another")
    if value.startswith("passthrough-"):
        raise ValueError(f"{value!r} begins like the names of those who bring their own key; take another")
    return value


def _workspace_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", value):
        raise ValueError(f"{value!r} cannot begin a path; use 1 to 64 of A-Z a-z 0-9 _ . -")
    return value


def _reader(value: str) -> str:
    return value if value == "*" else tenant_name(value)


def _model_name(value: str) -> str:
    if "*" in value[:-1]:
        raise ValueError(f"{value!r} has a * that is not its last character; only a trailing * is a prefix")
    return value


def _header_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", value):
        raise ValueError(f"{value!r} is not a header's name; use letters, digits and -")
    if value.lower() in FRAMING:
        raise ValueError(f"{value!r} is a header that the proxy itself sets for each request; leave it out")
    return value


def _base_url(value: str) -> str:
    try:
        url = urlsplit(value)
    except ValueError:
        raise ValueError("is not an address; give one such as https://host/v1") from None
    if url.scheme not in {"http", "https"} or not url.hostname:
        raise ValueError("is not an http:// or https:// address; give one such as https://host/v1")
    if url.username is not None or url.query or url.fragment:
        raise ValueError("holds credentials, a query or a fragment; use api_key, headers or query")
    return value


def _state_url(value: SecretStr) -> SecretStr:
    url = value.get_secret_value()
    if url != "embedded":
        store_address(url)
    return value


def _artifacts_url(value: str) -> str:
    if value.startswith(SCHEME):
        bucket_address(value)
    elif "://" in value:
        raise ValueError("is neither a folder nor s3://; give a folder's path, or s3://bucket/prefix")
    return value


TenantName = Annotated[str, AfterValidator(tenant_name)]
WorkspaceName = Annotated[str, AfterValidator(_workspace_name)]
Reader = Annotated[str, AfterValidator(_reader)]
"""A tenant by name, or `*` for all of them."""
PolicyName = Annotated[str, Field(min_length=1)]
Port = Annotated[int, Field(ge=0, le=65535)]
KeyHash = Annotated[str, AfterValidator(_key_hash)]
ModelName = Annotated[str, AfterValidator(_model_name)]
HeaderName = Annotated[str, AfterValidator(_header_name)]
BaseUrl = Annotated[str, AfterValidator(_base_url)]
StateUrl = Annotated[Secret, AfterValidator(_state_url)]
ArtifactsUrl = Annotated[str, AfterValidator(_artifacts_url)]
