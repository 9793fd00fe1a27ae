"""The only door to redis-py: one pool per process, short time-outs, no retries, and a breaker.

A store that is dead, hanging, full or not ours costs one short time-out (`patience.py` counts it by the store's time);
then every call fails at once, until a probe finds it well. A caller that leaves does not stop its command: it runs to
its end (or time-out) in a task of its own, so that no reply is ever left on a connection for the next caller.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.asyncio.sentinel import MasterNotFoundError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import DataError, RedisClusterException, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from proxy.errors import StoreError
from proxy.settings.store_address import store_address
from proxy.state.breaker import Breaker, Pass
from proxy.state.clients import Client, behind_sentinels, direct
from proxy.state.cluster import Cluster
from proxy.state.patience import LONGEST_SECONDS, within

log = logging.getLogger(__name__)

T = TypeVar("T")
OnOperation = Callable[[str, float, bool], None]

_POOL_SIZE = 10
_QUEUE_SECONDS = 10.0  # a queue at the pool is our own load and no fault of the store
_CLOSING_SECONDS = 2.0
_PING_KEY = "forebay:ping"
_FAILURES = (RedisError, RedisClusterException, OSError, ValueError, IndexError, AttributeError)
"""What a store can do to a call. ValueError and IndexError are redis-py's parser on noise, AttributeError its cluster
where the failure of one call closes the connection of another."""


class StateStore:
    """Runs commands against one Redis or Valkey. Belongs to one event loop.

    `on_operation(operation, seconds, ok)` is called for each call that reached for the store.
    """

    def __init__(
        self,
        url: str,
        timeout_ms: int = 250,
        *,
        pool_size: int = _POOL_SIZE,
        breaker: Breaker | None = None,
        on_operation: OnOperation | None = None,
    ) -> None:
        self._name = redacted(url)
        self._timeout = timeout_ms / 1000
        self._client = _client(url, self._timeout, pool_size)
        self._slots = asyncio.Semaphore(pool_size)
        self._breaker = breaker or Breaker(longest_pause=self._client.longest_pause)
        self._on_operation = on_operation or _ignore
        self._running: set[asyncio.Task[Any]] = set()

    @property
    def available(self) -> bool:
        """False while calls fail at once; for readiness."""
        return self._breaker.closed

    async def run(self, operation: str, fn: Callable[[Redis], Awaitable[T]], *, may_probe: bool = True) -> T:
        """What `fn` makes of the store's answers. StoreError where the store cannot do it, or not in time.

        `fn` may not take longer than the time-out in all, unless the event loop is late; what it raises besides store
        errors passes through. What an agent waits for may not probe: a store that goes on hanging would cost it one
        time-out after each pause.
        """
        if not self._passes(may_probe):
            raise self._failing()
        task = asyncio.create_task(self._queue(operation, fn, may_probe))
        self._running.add(task)
        task.add_done_callback(self._finished)
        await asyncio.wait({task})  # unlike awaiting the task, this leaves it alone when the caller is cancelled
        return task.result()

    async def ping(self) -> bool:
        """Whether the store takes a write, as a full one or a replica does not, though it answers PING.

        Never raises. Costs nothing while calls fail at once, and does not join a queue: those in it will find out.
        """
        if self._slots.locked():
            return self.available
        try:
            await self.run("ping", lambda client: client.set(_PING_KEY, b"", ex=60))
        except StoreError:
            return False
        return True

    async def close(self) -> None:
        """Let what is on its way end, within its time-out, let go of what still queues, and close the pool."""
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=_CLOSING_SECONDS + self._timeout)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._client.close()

    def _passes(self, may_probe: bool) -> bool:
        return not self._breaker.refuses if may_probe else self._breaker.closed

    async def _queue(self, operation: str, fn: Callable[[Redis], Awaitable[T]], may_probe: bool) -> T:
        """Wait for a connection; those who wait leave at once when the breaker opens meanwhile."""
        try:
            async with asyncio.timeout(_QUEUE_SECONDS):
                await self._slots.acquire()
        except TimeoutError:
            raise StoreError(f"{self._name}: all connections busy for {_QUEUE_SECONDS:g} s") from None
        try:
            given = self._breaker.admit() if self._passes(may_probe) else None
            if given is None:
                raise self._failing()
            return await self._attempt(operation, fn, given)
        finally:
            self._slots.release()

    async def _attempt(self, operation: str, fn: Callable[[Redis], Awaitable[T]], given: Pass) -> T:
        started, healthy, ok = time.perf_counter(), False, False
        problem = "cancelled"
        try:
            result = await within(self._timeout, self._asked(fn))
            healthy = ok = True
        except _FAILURES as error:
            problem, healthy = self._describe(error), _is_about_data(error)
            raise StoreError(f"{self._name}: {problem}") from error
        except StoreError:
            healthy = True  # it answered, but what it holds is not ours
            raise
        finally:
            if not healthy:
                self._client.failed()
            self._settle(given, healthy, problem)
            self._on_operation(operation, time.perf_counter() - started, ok)
        return result

    async def _asked(self, fn: Callable[[Redis], Awaitable[T]]) -> T:
        return await fn(await self._client.get())

    def _settle(self, given: Pass, healthy: bool, problem: str) -> None:
        """One log line per change of state."""
        if healthy:
            if self._breaker.succeeded(given):
                log.info("state store %s answers again", self._name)
        elif self._breaker.failed(given):
            log.warning("state store %s fails: %s; going on without it", self._name, problem)

    def _describe(self, error: Exception) -> str:
        """What went wrong, without what the server said: its errors quote commands and their values."""
        match error:
            case TimeoutError() | RedisTimeoutError():
                return f"no answer within {self._timeout * 1000:g} ms"
            case MasterNotFoundError():
                return "no sentinel names a primary of this service"
            case RedisConnectionError() | OSError():
                return f"{type(error).__name__}: {error}"
            case _:
                return f"{type(error).__name__} {getattr(error, 'status_code', None) or ''}".rstrip()

    def _failing(self) -> StoreError:
        return StoreError(f"{self._name} failed a moment ago; not asked again yet")

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # seen, also where the caller has left


async def answers(pipeline: Pipeline) -> list[Any]:
    """Run a pipeline: every command's answer, or the first error as the server gave it."""
    return checked(await pipeline.execute(raise_on_error=False))


def checked(results: list[Any]) -> list[Any]:
    """The answers of a pipeline that was told not to raise; raises the first error among them."""
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


def redacted(url: str) -> str:
    """The URL without user, password and options; less of it where it is unclear what is what."""
    scheme, is_url, rest = url.partition("://")
    place, _, options = rest.partition("?")
    if not is_url or "@" in options:
        return f"{scheme}://..." if is_url else "..."
    return f"{scheme}://{place.rpartition('@')[2]}"


def _client(url: str, timeout: float, pool_size: int) -> Client:
    """ValueError for what is no address. redis-py's own time-outs count the event loop's delays, so they come later."""
    try:
        address = store_address(url)
    except ValueError as error:
        raise ValueError(f"state.url {redacted(url)!r} {error}") from None
    longest = 2 * max(LONGEST_SECONDS, 2 * timeout)
    match address.kind:
        case "cluster":
            return Cluster(address, longest, pool_size)
        case "sentinel":
            return behind_sentinels(address, longest, timeout, pool_size)
        case _:
            return direct(address, longest, pool_size)


def _is_about_data(error: Exception) -> bool:
    """A command that does not fit what a key holds: one caller's problem, the store is well."""
    if isinstance(error, DataError):
        return True
    return type(error) is ResponseError and (error.status_code == "ERR" or str(error).startswith("WRONGTYPE"))


def _ignore(_operation: str, _seconds: float, _ok: bool) -> None:
    """No metrics wanted."""
