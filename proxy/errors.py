"""What can go wrong, and what an agent is told of it.

ForebayError                    status, type and code; rendered in OpenAI's shape
+-- RequestError        400     the agent must change something
|   +-- Unauthorized    401
|   +-- Forbidden       403     Host, Origin, policy
|   +-- NotFound        404     model, artifact, session, path
|   +-- WrongMethod     405
|   +-- TooLarge        413
|   +-- WrongMedia      415
|   +-- ContextTooLong  400     code context_length_exceeded, after editing
|   +-- OverQuota       429     carries retry_after
+-- Overloaded          503     body cap, draining
+-- UpstreamError       502     the provider gave no usable answer
|   +-- UpstreamTimeout 504
+-- StoreError                  state or artifacts; never reaches an agent on the request path

A class stands here only where someone catches it, or answers it, differently.
"""

from __future__ import annotations

from typing import ClassVar


class ForebayError(Exception):
    """An error with an answer; `str()` of it is the message the agent reads, but for a StoreError's."""

    status: ClassVar[int] = 500
    type: ClassVar[str] = "server_error"
    default_code: ClassVar[str] = "internal_error"

    def __init__(self, message: str, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.param = param
        self.code = code or self.default_code

    def body(self) -> dict[str, object]:
        """The error in OpenAI's shape."""
        return {"error": {"message": str(self), "type": self.type, "param": self.param, "code": self.code}}

    def headers(self) -> dict[str, str]:
        """What the answer carries beside its body."""
        return {}


class RequestError(ForebayError):
    """The agent must change something before it asks again."""

    status = 400
    type = "invalid_request_error"
    default_code = "invalid_request_error"


class Unauthorized(RequestError):
    """No key, or one that belongs to no tenant."""

    status = 401
    default_code = "invalid_api_key"


class Forbidden(RequestError):
    """A known caller asked for what it may not have: a host, an origin, a policy."""

    status = 403
    default_code = "forbidden"


class NotFound(RequestError):
    """Unknown, foreign and expired alike."""

    status = 404
    default_code = "not_found"


class WrongMethod(RequestError):
    """The path exists, but not for this method."""

    status = 405
    default_code = "method_not_allowed"

    def __init__(self, message: str, allowed: str) -> None:
        super().__init__(message)
        self.allowed = allowed

    def headers(self) -> dict[str, str]:
        """The methods that the path knows."""
        return {"allow": self.allowed}


class TooLarge(RequestError):
    """The body is over the configured limit, as sent or inflated."""

    status = 413
    default_code = "request_too_large"


class WrongMedia(RequestError):
    """A content type or encoding that the proxy does not read."""

    status = 415
    default_code = "unsupported_media_type"


class ContextTooLong(RequestError):
    """The request does not fit the window even after editing; carries the budget report."""

    default_code = "context_length_exceeded"

    def __init__(self, message: str, *, budget: dict[str, object]) -> None:
        super().__init__(message, param="messages")
        self.budget = budget

    def body(self) -> dict[str, object]:
        """OpenAI's shape, with the budget report beside the message."""
        inner = super().body()["error"]
        assert isinstance(inner, dict)
        return {"error": {**inner, "budget": self.budget}}


class OverQuota(RequestError):
    """A limit of the tenant is used up for now."""

    status = 429
    type = "rate_limit_error"
    default_code = "rate_limit_exceeded"

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    def headers(self) -> dict[str, str]:
        """Seconds until a new try can succeed."""
        return {"retry-after": str(self.retry_after)}


class Overloaded(ForebayError):
    """The proxy itself has no room, or is draining."""

    status = 503
    default_code = "overloaded"

    def headers(self) -> dict[str, str]:
        """Soon: another replica, or the same a moment later."""
        return {"retry-after": "1"}


class UpstreamError(ForebayError):
    """The provider gave no usable answer; an answer with an error status is passed on instead."""

    status = 502
    type = "upstream_error"
    default_code = "upstream_error"

    def __init__(self, message: str, *, kind: str = "connection") -> None:
        super().__init__(message)
        self.kind = kind


class UpstreamTimeout(UpstreamError):
    """The provider was silent for longer than the route's time-out."""

    status = 504
    default_code = "upstream_timeout"

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="timeout")


class StoreError(ForebayError):
    """State or artifacts could not be read or written; the request goes on without.

    `str()` of it is for the log and the operator: it may name addresses and folders.
    """

    status = 503
    default_code = "store_unavailable"

    def body(self) -> dict[str, object]:
        """What a tenant may know: nothing of where the store is."""
        told = ForebayError("the store does not answer; try again later", code=self.code)
        return told.body()
