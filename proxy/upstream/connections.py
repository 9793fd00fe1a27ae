"""The relay's connections: a pool, and what to do when a connection out of it turns out to be dead.

A provider may close an idle connection in the moment in which a request goes out on it. aiohttp repeats only
idempotent methods then, so a POST is repeated here: once, on a fresh connection, and only if the failed one had
been used before and not one byte came back on it.
"""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from types import SimpleNamespace

import aiohttp
from yarl import URL

_READ_BUFFER = 256 * 1024
_LARGEST_HEADER = 1024 * 1024
_AT_ONCE = 1024 * 1024


@dataclass
class _Trace:
    reused: bool = False


class Connections:
    """Sends requests; the caller closes the responses. Construct it in the running loop."""

    def __init__(self) -> None:
        self._pooled = _session(aiohttp.TCPConnector(limit=0))
        self._fresh = _session(aiohttp.TCPConnector(limit=0, force_close=True))

    async def close(self) -> None:
        """Close every connection."""
        await self._pooled.close()
        await self._fresh.close()

    async def request(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes, connect_seconds: float
    ) -> aiohttp.ClientResponse:
        """The answer as soon as its headers are here. Raises aiohttp.ClientError."""
        trace = _Trace()
        timeout = aiohttp.ClientTimeout(total=None, connect=connect_seconds)
        for session in (self._pooled, self._fresh):
            try:
                return await session.request(
                    method,
                    url,
                    data=_in_pieces(body),
                    headers=headers,
                    timeout=timeout,
                    proxy=_proxy_for(url.origin()),
                    allow_redirects=False,
                    trace_request_ctx=trace,
                )
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                if session is self._fresh or not trace.reused:
                    raise
        raise AssertionError("the fresh session either answers or raises")


def _in_pieces(body: bytes) -> bytes | BytesIO:
    """aiohttp writes bytes at once, which for megabytes holds up the loop (it warns of that), and files in pieces."""
    return body if len(body) <= _AT_ONCE else BytesIO(body)


def _session(connector: aiohttp.TCPConnector) -> aiohttp.ClientSession:
    trace = aiohttp.TraceConfig()
    trace.on_connection_reuseconn.append(_mark_reused)
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        trace_configs=[trace],
        read_bufsize=_READ_BUFFER,
        max_line_size=_LARGEST_HEADER,
        max_field_size=_LARGEST_HEADER,
    )


async def _mark_reused(
    session: aiohttp.ClientSession,
    context: SimpleNamespace,
    params: aiohttp.TraceConnectionReuseconnParams,
) -> None:
    context.trace_request_ctx.reused = True


@lru_cache(maxsize=1024)
def _proxy_for(origin: URL) -> str | None:
    """The outbound proxy that the usual variables name for this address.

    Not aiohttp's `trust_env`: it asks two threads on every request, and lets a netrc entry stand beside the
    operator's key.
    """
    if urllib.request.proxy_bypass(origin.host or ""):
        return None
    proxies = urllib.request.getproxies()
    return proxies.get(origin.scheme) or proxies.get("all")
