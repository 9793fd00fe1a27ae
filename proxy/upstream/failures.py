"""What is said of a call that got no usable answer, in the same words for both transports.

Libraries' own texts name hosts, lengths and now and then a key, so they are not repeated.
"""

from __future__ import annotations

from proxy.errors import UpstreamError, UpstreamTimeout
from proxy.upstream import UpstreamCall


def silent(call: UpstreamCall, setting: str, seconds: float) -> UpstreamTimeout:
    """Nothing came for as long as `setting` allows."""
    return UpstreamTimeout(f"{call.route.name}: the provider was silent for {seconds:g} s (timeouts.{setting})")


def unreachable(call: UpstreamCall, error: Exception) -> UpstreamError:
    """No connection, or one that broke before the first byte."""
    return UpstreamError(f"{call.route.name}: the provider could not be reached ({type(error).__name__})")


def broke_off(call: UpstreamCall, error: Exception) -> UpstreamError:
    """The connection failed within an answer."""
    return UpstreamError(f"{call.route.name}: the provider's answer broke off ({type(error).__name__})")


def truncated(call: UpstreamCall) -> UpstreamError:
    """A stream ended in order, but in the middle of things."""
    return UpstreamError(
        f"{call.route.name}: the provider ended the stream without [DONE] or a finish_reason", kind="truncated"
    )


def redirected(call: UpstreamCall, status: int) -> UpstreamError:
    """The provider pointed elsewhere; nobody goes there with the operator's key."""
    return UpstreamError(
        f"{call.route.name}: the provider answered with a redirect ({status}), which is not followed; "
        "set api_base to the address it leads to",
        kind="redirect",
    )
