"""LiteLLM, imported once and held short: no network at import, no log, no redirects, no images fetched.

Nothing else in the project imports it. It arrives by `load()`, when a route needs it and not before: the import
takes three seconds and 160 MB.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
import warnings
from contextvars import ContextVar
from functools import cache
from typing import Any

import httpx

from proxy.upstream.headers import downward

NOT_FETCHED = "send a data: URL; remote images are not fetched"


class Seen:
    """The provider's own answer to the call at hand, noted before LiteLLM makes something else of it."""

    response: httpx.Response | None = None

    def headers(self) -> dict[str, str]:
        """What of the answer's headers may reach the client."""
        return downward(self.response.headers) if self.response is not None else {}

    def refusal(self) -> httpx.Response | None:
        """The answer, if it is an error or a redirect; its body is read."""
        return self.response if self.response is not None and self.response.status_code >= 300 else None


seen: ContextVar[Seen | None] = ContextVar("seen", default=None)


@cache
def load() -> Any:
    """The module `litellm`, set up; blocks for seconds the first time, so call it before serving."""
    _prepare_environment()
    litellm = importlib.import_module("litellm")
    _configure(litellm)
    _take_over_clients(litellm)
    _forbid_fetching(litellm)
    return litellm


def open_session() -> httpx.AsyncClient:
    """The pool that LiteLLM's OpenAI and Azure handlers are to use; the others make theirs by themselves."""
    session: httpx.AsyncClient = _part("llms.custom_httpx.http_handler").AsyncHTTPHandler().client
    load().aclient_session = session
    return session


async def close_session(session: httpx.AsyncClient) -> None:
    """Close every connection of LiteLLM's, forget the clients that held them, end its background task."""
    litellm = load()
    await _part("litellm_core_utils.logging_worker").GLOBAL_LOGGING_WORKER.stop(discard_pending=True)
    await _part("llms.custom_httpx.async_client_cleanup").close_litellm_async_clients()
    if "module_level_aclient" in vars(litellm):  # a client of its own outside the cache, made when first used
        await litellm.module_level_aclient.close()
    litellm.in_memory_llm_clients_cache.flush_cache()
    litellm.aclient_session = None
    await session.aclose()


def _prepare_environment() -> None:
    """Two switches that LiteLLM reads in its import and nowhere else: set, not read."""
    environment = os.environ  # noqa: TID251 -- the only way to tell LiteLLM
    environment["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it fetches a price table
    environment["LITELLM_MODE"] = "PRODUCTION"  # else it loads a .env file out of the working directory


def _configure(litellm: Any) -> None:
    litellm.suppress_debug_info = True
    litellm.drop_params = False  # an environment variable could say otherwise
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize  # else it ends a stream that says the same 100 times
    # It makes the call's coroutine in a thread; where the client leaves meanwhile, nobody is there to await it.
    unawaited = r"coroutine '\w+\.a\w*completion\w*' was never awaited"
    warnings.filterwarnings("ignore", unawaited, RuntimeWarning)
    for name in ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router"):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
        logger.setLevel(logging.CRITICAL)


def _take_over_clients(litellm: Any) -> None:
    """Every asynchronous HTTP client that LiteLLM makes follows no redirect and shows its answers to `seen`.

    LiteLLM has no setting for either, and a handler for each provider; they all make their clients in one method.
    """
    litellm.disable_aiohttp_transport = True  # its aiohttp sessions refuse answer headers over 8 KiB
    handler = _part("llms.custom_httpx.http_handler").AsyncHTTPHandler
    original = handler.create_client

    def create_client(self: Any, *args: Any, **kwargs: Any) -> httpx.AsyncClient:
        client: httpx.AsyncClient = original(self, *args, **kwargs)
        client.follow_redirects = False
        client.event_hooks = {**client.event_hooks, "response": [*client.event_hooks["response"], _note]}
        return client

    handler.create_client = create_client


def _forbid_fetching(litellm: Any) -> None:
    """For providers that take no addresses LiteLLM fetches the images that a request names. Its gate stays shut."""
    urls = _part("litellm_core_utils.url_utils")
    litellm.user_url_validation = True

    def refuse(url: str) -> tuple[str, str]:
        raise urls.SSRFError(NOT_FETCHED)

    urls.validate_url = refuse


def _part(name: str) -> Any:
    return importlib.import_module(f"litellm.{name}")


async def _note(response: httpx.Response) -> None:
    call = seen.get()
    if call is not None:
        call.response = response
        if response.status_code >= 300:
            await response.aread()
