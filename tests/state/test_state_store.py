"""The door to Redis under faults: each costs one short time-out, then nothing, and nobody gets another's answer."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from proxy.errors import StoreError
from proxy.state import RequestRecord
from proxy.state.breaker import Breaker
from proxy.state.embedded import EmbeddedValkey
from proxy.state.redis import StateStore, redacted
from proxy.state.sessions import RedisSessions


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@asynccontextmanager
async def opened(url: str, timeout_ms: int = 2_000, **options: object) -> AsyncIterator[StateStore]:
    store = StateStore(url, timeout_ms, **options)  # type: ignore[arg-type]
    try:
        yield store
    finally:
        await store.close()


async def fails(store: StateStore) -> str:
    with pytest.raises(StoreError) as caught:
        await store.run("get", lambda client: client.get("key"))
    return str(caught.value)


class Relay:
    """A listener that treats connections as the test wants, and counts them."""

    def __init__(self, treat: Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]) -> None:
        self._treat = treat
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self.connections = 0

    async def __aenter__(self) -> Relay:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._open.values():
            writer.transport.abort()
        if self._open:
            await asyncio.wait(list(self._open))

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"redis://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        try:
            result = self._treat(reader, writer)
            if asyncio.iscoroutine(result):
                await result
        except ConnectionError:
            pass
        finally:
            writer.close()
            del self._open[task]


async def swallow(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    while await reader.read(65536):
        pass


def answer(raw: bytes) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]:
    async def treat(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(65536):
            writer.write(raw)
            await writer.drain()

    return treat


async def test_500_calls_at_once_share_10_connections_and_all_succeed(valkey: EmbeddedValkey) -> None:
    async with opened(valkey.url, 5_000) as store:
        await store.run("reset", lambda client: client.config_resetstat())
        await asyncio.gather(
            *(store.run("set", lambda client, n=n: client.set(f"k{n}", n)) for n in range(500))  # type: ignore[misc]
        )
        stats = await store.run("info", lambda client: client.info())
        values = await store.run("mget", lambda client: client.mget([f"k{n}" for n in range(500)]))
    assert values == [str(n).encode() for n in range(500)]
    assert stats["total_connections_received"] <= 10


async def test_a_hanging_store_costs_one_time_out_then_calls_do_not_reach_for_it() -> None:
    clock = Clock()
    async with Relay(swallow) as relay, opened(relay.url, 50, breaker=Breaker(now=clock)) as store:
        assert "no answer within 50 ms" in await fails(store)
        for _ in range(100):
            assert "not asked again" in await fails(store)
        assert relay.connections == 1
        clock.time += 1
        await fails(store)
        assert relay.connections == 2
        assert not store.available


async def test_a_call_that_may_not_probe_leaves_a_store_that_failed_to_those_that_may() -> None:
    clock = Clock()
    async with Relay(swallow) as relay, opened(relay.url, 50, breaker=Breaker(now=clock)) as store:

        async def waited_for() -> str:
            with pytest.raises(StoreError) as caught:
                await store.run("get", lambda client: client.get("key"), may_probe=False)
            return str(caught.value)

        assert "no answer within 50 ms" in await waited_for()
        clock.time += 60
        assert "not asked again" in await waited_for()
        assert relay.connections == 1
        assert "no answer within 50 ms" in await fails(store)


async def test_a_call_that_may_not_probe_and_still_queues_when_the_store_fails_leaves_too() -> None:
    clock = Clock()
    async with Relay(swallow) as relay, opened(relay.url, 50, breaker=Breaker(now=clock), pool_size=1) as store:
        calls = [store.run("get", lambda client: client.get("key"), may_probe=False) for _ in range(3)]
        pause_is_over = asyncio.create_task(_advance(clock, store))
        results = await asyncio.gather(*calls, return_exceptions=True)
        await pause_is_over
        assert {type(result) for result in results} == {StoreError}
        assert relay.connections == 1


async def _advance(clock: Clock, store: StateStore) -> None:
    """Let the breaker's pause be over as soon as it is open."""
    while store.available:  # noqa: ASYNC110 -- a breaker has no event to await
        await asyncio.sleep(0)
    clock.time += 60


async def test_a_ping_does_not_queue_behind_calls_that_wait(valkey: EmbeddedValkey) -> None:
    async with opened(valkey.url, pool_size=1) as store:
        started, gate = asyncio.Event(), asyncio.Event()

        async def held(_client: Redis) -> None:
            started.set()
            await gate.wait()

        holding = asyncio.create_task(store.run("held", held))
        await started.wait()
        assert await asyncio.wait_for(store.ping(), 1)
        assert not gate.is_set()
        gate.set()
        await holding


async def test_calls_that_wait_for_a_connection_leave_when_the_store_turns_out_to_hang() -> None:
    async with Relay(swallow) as relay, opened(relay.url, 50, pool_size=3) as store:
        messages = await asyncio.gather(*(fails(store) for _ in range(300)))
    assert relay.connections == 3
    assert sum("no answer" in message for message in messages) == 3


async def test_a_stopped_server_is_left_alone_until_a_probe_finds_it_well(own_valkey: EmbeddedValkey) -> None:
    clock = Clock()
    operations: list[tuple[str, bool]] = []

    def seen(operation: str, _seconds: float, ok: bool) -> None:
        operations.append((operation, ok))

    async with opened(own_valkey.url, 1_000, breaker=Breaker(now=clock), on_operation=seen) as store:
        await store.run("warm", lambda client: client.set("key", "value"))
        assert own_valkey.pid is not None
        os.kill(own_valkey.pid, signal.SIGSTOP)
        for _ in range(50):
            await fails(store)
        os.kill(own_valkey.pid, signal.SIGCONT)
        await fails(store)
        assert operations == [("warm", True), ("get", False)]
        clock.time += 1
        assert await store.run("get", lambda client: client.get("key")) == b"value"
        assert store.available


async def test_a_killed_and_restarted_server_costs_no_call_once_it_is_back(own_valkey: EmbeddedValkey) -> None:
    async with opened(own_valkey.url) as store:
        await store.run("set", lambda client: client.set("key", "value"))
        before = own_valkey.pid
        assert before is not None
        os.kill(before, signal.SIGKILL)
        await until_back(own_valkey, before)
        assert await store.run("get", lambda client: client.get("key")) == b"value"


async def until_back(server: EmbeddedValkey, killed: int) -> None:
    for _ in range(1_000):
        async with opened(server.url) as probe:
            if server.pid != killed and await probe.ping():
                return
        await asyncio.sleep(0.02)
    pytest.fail("the server did not come back")


async def test_records_go_on_after_a_restart_with_nothing(own_valkey: EmbeddedValkey) -> None:
    async with opened(own_valkey.url) as store:
        sessions = RedisSessions(store, 1000)
        record = RequestRecord("s1", None, "m", "p", {}, {"requests": 1})
        await sessions.record("team", record)
        await store.run("empty", lambda client: client.flushall())
        assert await sessions.list("team") == []
        await sessions.record("team", record)
        found = await sessions.get("team", "s1")
    assert found is not None
    assert found["totals"] == {"requests": 1}


async def test_no_store_at_all_fails_and_opens_the_breaker(tmp_path: Path) -> None:
    async with opened(f"unix://{tmp_path}/none.sock") as store:
        assert "ConnectionError" in await fails(store)
        assert not store.available
        assert not await store.ping()


async def test_a_full_store_opens_the_breaker(own_valkey: EmbeddedValkey) -> None:
    async with opened(own_valkey.url) as admin, opened(own_valkey.url) as store:
        await admin.run("set", lambda client: client.config_set("maxmemory-policy", "noeviction"))
        await admin.run("set", lambda client: client.config_set("maxmemory", "1"))
        with pytest.raises(StoreError, match="OutOfMemoryError OOM"):
            await RedisSessions(store, 1000).record("team", RequestRecord("s1", None, "m", "p", {}, {}))
        assert not store.available


@pytest.mark.parametrize(
    "raw",
    [
        b"-LOADING Valkey is loading the dataset in memory\r\n",
        b"-READONLY You can't write against a read only replica.\r\n",
        b"-MISCONF Errors writing to the AOF file: No space left on device\r\n",
        b"-NOAUTH Authentication required.\r\n",
        b"-NOPERM no permissions\r\n",
        b"-MASTERDOWN Link with MASTER is down\r\n",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"$nonsense\r\n",
        b":\xff\r\n",
        b"\r\n",
        b"$5\r\nab",
        b"%1\r\n+a\r\n",
    ],
)
async def test_a_store_that_cannot_serve_opens_the_breaker(raw: bytes) -> None:
    async with Relay(answer(raw)) as relay, opened(relay.url, 300) as store:
        await fails(store)
        assert not store.available


async def test_a_connection_that_is_closed_at_once_opens_the_breaker() -> None:
    async with Relay(lambda _reader, writer: writer.close()) as relay, opened(relay.url, 300) as store:
        await fails(store)
        assert not store.available
        assert relay.connections <= 2


async def test_a_wrong_password_opens_the_breaker_and_is_told_nobody(
    own_valkey: EmbeddedValkey, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(own_valkey.url) as admin:
        await admin.run("lock", lambda client: client.config_set("requirepass", "right"))
    url = own_valkey.url.replace("unix://", "unix://user:hunter2@")
    async with opened(url) as store:
        message = await fails(store)
        assert "invalid username-password pair" in message
        assert not store.available
    assert "hunter2" not in message + caplog.text
    async with opened(own_valkey.url.replace("unix://", "unix://:right@")) as store:
        assert await store.ping()


async def test_a_command_that_does_not_fit_its_key_leaves_the_breaker_closed(store: StateStore) -> None:
    await store.run("set", lambda client: client.set("key", "value"))
    with pytest.raises(StoreError, match="ResponseError"):
        await store.run("wrong", lambda client: client.lpush("key", "x"))
    assert store.available


async def test_an_error_says_nothing_of_the_values_sent(store: StateStore) -> None:
    with pytest.raises(StoreError) as caught:
        await store.run(
            "odd",
            lambda client: client.execute_command("NOSUCH", "hunter2"),  # type: ignore[no-untyped-call]
        )
    assert "hunter2" not in str(caught.value)


async def test_one_log_line_per_change_of_state(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "proxy.state.redis")
    clock = Clock()
    replies = [b"-LOADING not yet\r\n"]

    async def treat(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(65536):
            writer.write(replies[-1])

    async with Relay(treat) as relay, opened(relay.url, breaker=Breaker(now=clock)) as store:
        for seconds in (0, 0, 1, 0, 2):
            clock.time += seconds
            await fails(store)
        replies.append(b"+PONG\r\n")
        clock.time += 4
        assert await store.ping()
        assert await store.ping()
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


async def test_operations_are_counted_with_their_outcome(store: StateStore, valkey: EmbeddedValkey) -> None:
    seen: list[tuple[str, bool]] = []
    async with opened(valkey.url, on_operation=lambda name, _seconds, ok: seen.append((name, ok))) as counted:
        await counted.run("set", lambda client: client.set("key", "value"))
        with pytest.raises(StoreError):
            await counted.run("push", lambda client: client.lpush("key", "x"))
    assert seen == [("set", True), ("push", False)]


class NeverOpen(Breaker):
    def failed(self, _given: object) -> bool:
        return False


def slow(target: str, stall_seconds: float) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]:
    """Relays to the server's socket, each piece split at a random place, each part after a random wait; some stall."""

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(65536):
            cut = random.randrange(len(piece) + 1)
            for part in (piece[:cut], piece[cut:]):
                await asyncio.sleep(stall_seconds if random.random() < 0.05 else random.random() * 0.004)
                writer.write(part)
        writer.close()

    async def treat(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_unix_connection(target)
        with_client = asyncio.create_task(pump(inner_reader, writer))
        try:
            await pump(reader, inner_writer)
        finally:
            inner_writer.close()
            await asyncio.gather(with_client, return_exceptions=True)

    return treat


@pytest.mark.parametrize("timeout_ms", [5_000, 100], ids=["callers leave", "time-outs strike too"])
async def test_values_never_cross_however_calls_end(valkey: EmbeddedValkey, timeout_ms: int) -> None:
    received: list[tuple[int, object]] = []
    async with (
        Relay(slow(valkey.url.removeprefix("unix://"), stall_seconds=0.15)) as relay,
        opened(relay.url, timeout_ms, pool_size=3, breaker=NeverOpen()) as store,
    ):

        async def echo(number: int) -> None:
            async def both(client: Redis) -> bytes:
                async with client.pipeline(transaction=False) as pipe:
                    pipe.echo(f"{number}-a")
                    pipe.echo(f"{number}-b")
                    return b" ".join(await pipe.execute())

            with_pipeline = random.random() < 0.5
            try:
                if with_pipeline:
                    received.append((number, await store.run("both", both)))
                else:
                    one = await store.run("one", lambda client: client.echo(f"{number}-a {number}-b"))
                    received.append((number, one))
            except StoreError:
                pass

        for round_ in range(12):
            tasks = [asyncio.create_task(echo(round_ * 10 + n)) for n in range(10)]
            for task in tasks[::2]:
                await asyncio.sleep(random.random() * 0.01)
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    assert received
    assert [value for _, value in received] == [f"{n}-a {n}-b".encode() for n, _ in received]


async def test_a_write_goes_on_when_its_caller_leaves(store: StateStore) -> None:
    started = asyncio.Event()

    async def write(client: Redis) -> None:
        started.set()
        await client.set("key", "value")

    caller = asyncio.create_task(store.run("set", write))
    await started.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await store.close()
    assert await store.run("get", lambda client: client.get("key")) == b"value"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://user:hunter2@host:6379/0?password=hunter2", "redis://host:6379/0"),
        ("rediss://:hunter2@host", "rediss://host"),
        ("unix://user:hunter2@/tmp/x.sock", "unix:///tmp/x.sock"),
        ("redis://a:hunter2@b@host", "redis://host"),
    ],
)
def test_urls_are_shown_without_secrets(url: str, shown: str) -> None:
    assert redacted(url) == shown


@pytest.mark.parametrize("scheme", ["http", ""])
async def test_other_schemes_are_refused_with_the_remedy(scheme: str) -> None:
    with pytest.raises(ValueError, match=r"give embedded, redis://, rediss://, unix://, redis\+cluster://") as caught:
        StateStore(f"{scheme}://:hunter2@host")
    assert "hunter2" not in str(caught.value)
