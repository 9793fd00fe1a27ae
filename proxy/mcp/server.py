"""One message and its reply. Nothing is remembered between two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proxy.mcp.methods import result_by_request, result_with_handshake
from proxy.mcp.rpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Call,
    Notice,
    RpcError,
    message_of,
)
from proxy.mcp.tools import Tool
from proxy.mcp.versions import VERSION_HEADER, Headers, check_by_request, check_spoken, is_by_request

_STATUS = {
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
"""Since 2026-07-28 the status tells of an error too; with a handshake, an error of a call is answered with 200."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Status and JSON of the HTTP answer; without a message the answer has no body."""

    status: int
    message: dict[str, Any] | None


async def replied(body: bytes, headers: Headers, tools: Sequence[Tool]) -> Reply:
    """The reply to the message in one POST."""
    try:
        message = message_of(body)
    except RpcError as error:
        return Reply(400, error.body(None))
    if isinstance(message, Notice):
        return _noticed(message, headers)
    by_request = is_by_request(headers)
    try:
        result = await _result(message, headers, tools, by_request=by_request)
    except RpcError as error:
        return Reply(_STATUS[error.code] if by_request else 200, error.body(message.id))
    return Reply(200, {"jsonrpc": "2.0", "id": message.id, "result": result})


def _noticed(notice: Notice, headers: Headers) -> Reply:
    """Nothing here waits for a notification: a client that gives up a call closes its connection."""
    if is_by_request(headers):
        try:
            check_spoken(headers[VERSION_HEADER])
        except RpcError as error:
            return Reply(400, error.body(None))
        if not notice.is_notification:
            return Reply(400, RpcError(INVALID_REQUEST, "nothing was asked of you; send requests only").body(None))
    return Reply(202, None)


async def _result(call: Call, headers: Headers, tools: Sequence[Tool], *, by_request: bool) -> dict[str, Any]:
    if not by_request:
        return await result_with_handshake(call, tools)
    check_by_request(call, headers)
    return await result_by_request(call, tools)
