"""Which versions of MCP are spoken, and the two kinds that there are.

Up to 2025-11-25 a client first shakes hands (`initialize`) and then names the version in a header, or nowhere. Since
2026-07-28 there is no handshake: each request carries version and capabilities in `params._meta`, and repeats in
headers what a gateway needs for routing. Header and body that differ are refused, for whoever routes by one of them
and answers by the other can be fooled. Codes and order of the checks are those of MCP's Python SDK; tests hold the two
together.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from multidict import CIMultiDict, CIMultiDictProxy

from proxy.mcp.rpc import HEADER_MISMATCH, INVALID_PARAMS, UNSUPPORTED_VERSION, Call, RpcError

SHAKES_HANDS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
BY_REQUEST = ("2026-07-28",)

VERSION_HEADER = "mcp-protocol-version"
METHOD_HEADER = "mcp-method"
NAME_HEADER = "mcp-name"
_ONCE = (VERSION_HEADER, METHOD_HEADER, NAME_HEADER)

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

_ENCODED = re.compile(r"=\?base64\?(.*)\?=")

Headers = CIMultiDict[str] | CIMultiDictProxy[str]


def is_by_request(headers: Headers) -> bool:
    """Whether a message is of the kind without a handshake; unknown versions are taken for it, and refused there."""
    version = headers.get(VERSION_HEADER)
    return version is not None and version not in SHAKES_HANDS


def agreed(asked: str) -> str:
    """The version that a handshake settles on: the client's own, or the newest we know."""
    return asked if asked in SHAKES_HANDS else SHAKES_HANDS[-1]


def check_spoken(version: Any) -> None:
    """RpcError, with what is spoken instead, for a version without handshake that is not."""
    if version not in BY_REQUEST:
        message = f"MCP {str(version)[:40]} is not spoken here; use {', '.join(BY_REQUEST)}, or initialize"
        raise RpcError(UNSUPPORTED_VERSION, message, {"supported": list(BY_REQUEST), "requested": version})


def check_by_request(call: Call, headers: Headers) -> None:
    """RpcError for a request without handshake that lacks what it must carry, or disagrees with its own headers."""
    for name in _ONCE:
        if len(headers.getall(name, ())) > 1:
            raise RpcError(HEADER_MISMATCH, f"the header {name} stands there more than once")
    meta = call.params.get("_meta")
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if not isinstance(meta, dict) or key not in meta]
    if not isinstance(meta, dict) or missing:
        what = f"{VERSION_HEADER} {headers[VERSION_HEADER][:40]!r} needs {' and '.join(missing)} in params._meta"
        raise RpcError(INVALID_PARAMS, f"{what}; or initialize with {SHAKES_HANDS[-1]}")
    _check_same(VERSION_HEADER, headers.get(VERSION_HEADER), meta[VERSION_KEY])
    _check_same(METHOD_HEADER, headers.get(METHOD_HEADER), call.method)
    if call.method == "tools/call" and call.params.get("name") is not None:
        _check_same(NAME_HEADER, _decoded(headers.get(NAME_HEADER)), call.params["name"])
    check_spoken(meta[VERSION_KEY])


def _check_same(name: str, header: str | None, body: Any) -> None:
    if header != body:
        raise RpcError(HEADER_MISMATCH, f"the header {name} does not say what the request's body says")


def _decoded(value: str | None) -> str | None:
    """A header's text; what is not plain ASCII comes as `=?base64?...?=`, in its one right spelling."""
    match = _ENCODED.fullmatch(value or "")
    if match is None:
        return value
    try:
        text = base64.b64decode(match[1]).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if base64.b64encode(text.encode()).decode() == match[1] else None
