"""LiteLLM's exceptions, translated once.

What the provider itself answered was noted before LiteLLM made an exception of it (`library.Seen`), and is passed
on as it is. What is left are failures without an answer.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import openai

from proxy.errors import ForebayError, RequestError, UpstreamError
from proxy.upstream import UpstreamCall
from proxy.upstream.failures import broke_off, silent, truncated, unreachable

# LiteLLM's own errors all descend from OpenAIError. The rest is what its transformations let through when
# a provider, or a request, is not of the shape they expect.
LIBRARY_ERRORS = (
    openai.OpenAIError,
    httpx.HTTPError,
    OSError,
    RuntimeError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)

_LONGEST_REASON = 300


def before_first_byte(call: UpstreamCall, error: Exception) -> ForebayError:
    """What to raise for a call that brought no answer."""
    if _caused_by(error, httpx.ConnectTimeout):
        return silent(call, "connect_seconds", call.route.timeouts.connect)
    if _caused_by(error, httpx.TimeoutException, openai.APITimeoutError):
        return silent(call, "first_byte_seconds", call.route.timeouts.first_byte)
    if _caused_by(error, httpx.TransportError, openai.APIConnectionError):
        return unreachable(call, _first(error, httpx.TransportError) or error)
    if isinstance(error, openai.BadRequestError):
        return RequestError(f"{call.route.name}: LiteLLM cannot send this: {_reason(call, error)}")
    return UpstreamError(f"{call.route.name}: no usable answer: {_reason(call, error)}", kind="provider")


def within_stream(call: UpstreamCall, error: Exception) -> UpstreamError:
    """What to raise for an answer that failed after its first byte."""
    if _caused_by(error, httpx.TimeoutException):
        return silent(call, "idle_seconds", call.route.timeouts.idle)
    if _caused_by(error, httpx.TransportError):
        return broke_off(call, _first(error, httpx.TransportError) or error)
    if "before a finish_reason" in str(error):
        return truncated(call)
    return UpstreamError(f"{call.route.name}: the provider's stream failed: {_reason(call, error)}", kind="provider")


def never_sent(error: Exception) -> bool:
    """Whether the request did not leave at all."""
    return _caused_by(error, httpx.ConnectError, httpx.ConnectTimeout)


def _caused_by(error: BaseException, *kinds: type[BaseException]) -> bool:
    return any(isinstance(each, kinds) for each in _chain(error))


def _first(error: BaseException, kind: type[Exception]) -> Exception | None:
    return next((each for each in _chain(error) if isinstance(each, kind)), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _reason(call: UpstreamCall, error: Exception) -> str:
    """The first line of the library's text, without the route's secrets; what follows is often a traceback."""
    text = (str(error).splitlines() or [type(error).__name__])[0].partition(" To drop these, ")[0][:_LONGEST_REASON]
    key = call.route.api_key
    for secret in (key.get_secret_value() if key else "", *call.route.headers.values(), *call.route.query.values()):
        if secret:
            text = text.replace(secret, "[secret]")
    return text
