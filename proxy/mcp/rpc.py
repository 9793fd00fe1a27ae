"""JSON-RPC 2.0 as far as MCP uses it: single messages, never batches; ids are strings or integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proxy.errors import RequestError
from proxy.wire.strict import mend, strict_loads

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

Id = str | int


@dataclass(frozen=True, slots=True)
class Call:
    """A request: somebody waits for its answer."""

    id: Id
    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Notice:
    """A message that is not answered: a notification, or the answer to a request of ours, of which there is none."""

    is_notification: bool


class RpcError(Exception):
    """What a client is told instead of a result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    def body(self, id: Id | None) -> dict[str, Any]:
        """The answer to the call with this id; None where the id cannot be told."""
        error = {"code": self.code, "message": str(self), **({} if self.data is None else {"data": self.data})}
        return {"jsonrpc": "2.0", "id": id, "error": error}


def message_of(body: bytes) -> Call | Notice:
    """The one message in a body; RpcError where there is none."""
    try:
        message = strict_loads(mend(body)[0])
    except RequestError as error:
        raise RpcError(PARSE_ERROR, str(error)) from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise _invalid('send a single object with "jsonrpc": "2.0"; batches are not taken')
    method, params = message.get("method"), message.get("params")
    if "method" not in message and ("result" in message or "error" in message):
        return Notice(is_notification=False)
    if not isinstance(method, str) or not isinstance(params, dict | None):
        raise _invalid("method must be a string, and params an object")
    if "id" not in message:
        return Notice(is_notification=True)
    if type(message["id"]) not in (str, int):
        raise _invalid("id must be a string or an integer")
    return Call(message["id"], method, params or {})


def _invalid(why: str) -> RpcError:
    return RpcError(INVALID_REQUEST, f"the body is no JSON-RPC request: {why}")
