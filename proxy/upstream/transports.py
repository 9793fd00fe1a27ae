"""Both transports behind one: the route says which."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from proxy.upstream import Answer, Upstream, UpstreamCall
from proxy.upstream.relay import Relay


class Transports:
    """An Upstream that passes each call to the transport of its route."""

    def __init__(self, relay: Upstream, sdk: Upstream | None) -> None:
        self._relay = relay
        self._sdk = sdk

    def open(self, call: UpstreamCall) -> AbstractAsyncContextManager[Answer]:
        """Open a call on its route's transport."""
        if call.route.transport == "relay":
            return self._relay.open(call)
        if self._sdk is None:
            raise RuntimeError(f"{call.route.name} needs LiteLLM, which was not loaded; pass with_sdk=True")
        return self._sdk.open(call)


@asynccontextmanager
async def transports(with_sdk: bool) -> AsyncIterator[Transports]:
    """Open what the catalogue needs, close it after use. With the SDK, entering blocks while LiteLLM is imported."""
    async with AsyncExitStack() as stack:
        relay = Relay()
        stack.push_async_callback(relay.close)
        sdk = None
        if with_sdk:
            from proxy.upstream.sdk import Sdk  # noqa: PLC0415 -- heavy: LiteLLM and the OpenAI SDK

            sdk = Sdk()
            stack.push_async_callback(sdk.close)
            await sdk.warm_up()
        yield Transports(relay, sdk)
