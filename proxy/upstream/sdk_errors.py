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
from proxy.upstream.library import NOT_FETCHED
from proxy.upstream.redaction import Redactor

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

# What code raises that met another shape than it expects: the request's while nothing was sent, else the answer's.
_SHAPE_ERRORS = (ValueError, LookupError, TypeError, AttributeError)

_LONGEST_REASON = 300


def before_first_byte(call: UpstreamCall, error: Exception, answered: bool) -> ForebayError:
    """What to raise for a call that brought nothing usable; `answered`: the provider did say something."""
    if _caused_by(error, httpx.ConnectTimeout):
        return silent(call, "connect_seconds", call.route.timeouts.connect)
    if _caused_by(error, httpx.TimeoutException, openai.APITimeoutError):
        return silent(call, "first_byte_seconds", call.route.timeouts.first_byte)
    if broken := _first(error, httpx.TransportError):
        return unreachable(call, broken)
    return _unreadable(call, error) if answered else _unsent(call, error)


def _unreadable(call: UpstreamCall, error: Exception) -> UpstreamError:
    if "before a finish_reason" in str(error):
        return truncated(call)
    if _caused_by(error, *_SHAPE_ERRORS):
        reason = "the provider answered in a shape that LiteLLM cannot read"
    else:
        reason = f"no usable answer: {_reason(call, error)}"
    return UpstreamError(f"{call.route.name}: {reason}", kind="provider")


def _unsent(call: UpstreamCall, error: Exception) -> ForebayError:
    """LiteLLM failed by itself: at the client's request, unless it lacks something of the operator's."""
    if any(NOT_FETCHED in str(each) for each in _chain(error)):
        return RequestError(f"{call.route.name}: {NOT_FETCHED}", param="messages")
    if isinstance(error, openai.BadRequestError):
        return RequestError(f"{call.route.name}: LiteLLM cannot send this: {_reason(call, error)}")
    met = next((each for each in _chain(error) if isinstance(each, _SHAPE_ERRORS)), None)
    if met is not None and not isinstance(error, openai.AuthenticationError):
        reason = f"{type(met).__name__}: {_reason(call, met)}"
        return RequestError(f"{call.route.name}: LiteLLM cannot send this: {reason}")
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
    line = (str(error).splitlines() or [type(error).__name__])[0]
    for aside in (" To drop these, ", " Original exception: "):
        line = line.partition(aside)[0]
    return Redactor(call.route).text(line)[:_LONGEST_REASON]
