"""A server that takes connections and never answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Silent:
    """Where it listens, and who came."""

    url: str = ""
    came: list[asyncio.StreamWriter] = field(default_factory=list)


@asynccontextmanager
async def silent_server() -> AsyncIterator[Silent]:
    silent = Silent()
    over = asyncio.Event()
    handlers: set[asyncio.Task[None]] = set()

    async def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handlers.add(task)
        silent.came.append(writer)
        await over.wait()
        writer.transport.abort()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    silent.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield silent
    finally:
        server.close()
        over.set()
        await asyncio.gather(*handlers)
        await asyncio.sleep(0)  # an aborted transport is gone at the next turn of the loop
