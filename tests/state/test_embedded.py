"""The life of the embedded server: start, lock, restart, death of its parent."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proxy.errors import StoreError
from proxy.state import embedded, lock
from proxy.state.embedded import EmbeddedValkey, embedded_valkey


@pytest.fixture(autouse=True)
def short_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where killed proxies leave their sockets; short enough for one."""
    with tempfile.TemporaryDirectory(prefix="fb-") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield


def say(url: str, command: str) -> bytes:
    """One inline command over a plain socket, with its whole answer."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(10)
        client.connect(url.removeprefix("unix://"))
        client.sendall(f"{command}\r\nQUIT\r\n".encode())
        answer = b""
        while chunk := client.recv(65536):
            answer += chunk
    return answer.removesuffix(b"+OK\r\n")


def until(condition: Callable[[], object], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def running(pid: int) -> bool:
    """Not even as a zombie: a dead process whose new parent has not buried it yet holds nothing any more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def answering(server: EmbeddedValkey) -> bool:
    try:
        return say(server.url, "PING") == b"+PONG\r\n"
    except OSError:
        return False


def kill_and_await_return(server: EmbeddedValkey) -> None:
    before = server.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    assert until(lambda: server.pid != before and answering(server))


async def test_it_answers_at_its_url_and_ends_with_its_context(tmp_path: Path) -> None:
    async with embedded_valkey(tmp_path / "state") as url:
        assert await asyncio.to_thread(say, url, "PING") == b"+PONG\r\n"
    with pytest.raises(OSError, match="No such file"):
        await asyncio.to_thread(say, url, "PING")


async def test_its_context_may_end_in_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="boom"):
        async with embedded_valkey(tmp_path / "state") as url:
            raise RuntimeError("boom")
    async with embedded_valkey(tmp_path / "state") as again:
        assert again != url


def test_folder_and_socket_are_private_and_there_is_no_tcp(own_valkey: EmbeddedValkey, tmp_path: Path) -> None:
    path = Path(own_valkey.url.removeprefix("unix://"))
    assert [p.stat().st_mode & 0o777 for p in (tmp_path / "state", path.parent, path)] == [0o700] * 3
    assert say(own_valkey.url, "CONFIG GET port").endswith(b"$1\r\n0\r\n")


def test_memory_is_bounded_and_every_write_goes_to_the_log(own_valkey: EmbeddedValkey) -> None:
    assert b"268435456" in say(own_valkey.url, "CONFIG GET maxmemory")
    assert b"volatile-lru" in say(own_valkey.url, "CONFIG GET maxmemory-policy")
    assert b"yes" in say(own_valkey.url, "CONFIG GET appendonly")


def test_a_deep_folder_is_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path.joinpath(*["a-long-name-of-a-folder"] * 8)
    deep.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    server = EmbeddedValkey(deep / "state")
    server.start()
    assert answering(server)
    server.stop()
    assert not list(deep.glob("forebay-*"))


def test_data_is_kept_across_restarts(tmp_path: Path) -> None:
    for expected in (b"$-1\r\n", b"$5\r\nvalue\r\n"):
        server = EmbeddedValkey(tmp_path)
        server.start()
        assert say(server.url, "GET key") == expected
        say(server.url, "SET key value")
        server.stop()


def test_a_killed_server_is_started_again_with_its_data(own_valkey: EmbeddedValkey) -> None:
    say(own_valkey.url, "SET key value")
    kill_and_await_return(own_valkey)
    assert say(own_valkey.url, "GET key") == b"$5\r\nvalue\r\n"


def test_a_hanging_server_is_ended_all_the_same(own_valkey: EmbeddedValkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_STOP_SECONDS", 0.1)
    pid = own_valkey.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    own_valkey.stop()
    assert not running(pid)


def test_a_second_proxy_on_the_folder_is_told_who_has_it(own_valkey: EmbeddedValkey, tmp_path: Path) -> None:
    second = EmbeddedValkey(tmp_path / "state")
    with pytest.raises(StoreError, match=rf"in use by another proxy \(process {os.getpid()}\).*state\.directory"):
        second.start()
    second.stop()
    assert answering(own_valkey)


def test_the_folder_stays_locked_as_long_as_the_server_lives(own_valkey: EmbeddedValkey, tmp_path: Path) -> None:
    descriptors = Path(f"/proc/{own_valkey.pid}/fd")
    assert str(tmp_path / "state" / "lock") in {os.readlink(held) for held in descriptors.iterdir()}


def test_after_a_stop_the_folder_is_free(own_valkey: EmbeddedValkey, tmp_path: Path) -> None:
    own_valkey.stop()
    server = EmbeddedValkey(tmp_path / "state")
    server.start()
    assert answering(server)
    server.stop()


def damage(pattern: str, folder: Path) -> None:
    (file,) = (folder / "appendonlydir").glob(pattern)
    file.write_bytes(b"x" * 200 + file.read_bytes())


@pytest.mark.parametrize("pattern", ["*.incr.aof", "*.base.rdb", "*.manifest"])
def test_damaged_data_is_set_aside(tmp_path: Path, pattern: str) -> None:
    first = EmbeddedValkey(tmp_path)
    first.start()
    say(first.url, "SET key value")
    first.stop()
    damage(pattern, tmp_path)
    second = EmbeddedValkey(tmp_path)
    second.start()
    assert say(second.url, "GET key") == b"$-1\r\n"
    assert say(second.url, "SET key value") == b"+OK\r\n"
    second.stop()
    assert (tmp_path / "appendonlydir.damaged").is_dir()


def test_a_folder_that_cannot_be_used_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    server = EmbeddedValkey(tmp_path / "file" / "state")
    with pytest.raises(StoreError, match=r"file/state cannot be used .*state\.directory.*state\.url"):
        server.start()
    server.stop()


def test_a_server_that_does_not_start_is_an_error_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "_options", lambda *_: ["--no-such-option", "1"])
    server = EmbeddedValkey(tmp_path)
    with pytest.raises(StoreError, match="Bad directive"):
        server.start()
    server.stop()
    assert not running(server.pid or 0)


LAUNCHER = str(Path(embedded.__file__).with_name("launcher.py"))

PARENT = """
import sys, time
from pathlib import Path
from proxy.state.embedded import EmbeddedValkey
server = EmbeddedValkey(Path(sys.argv[1]))
server.start()
print(server.pid, server.url, flush=True)
time.sleep(600)
"""

FORK = "import os; child = os.fork(); child and print(child, flush=True); "
FORKING_PARENT = PARENT.replace("time.sleep", FORK + "time.sleep")


def parent(directory: Path, code: str = PARENT) -> tuple[subprocess.Popen[str], int, str]:
    process = subprocess.Popen([sys.executable, "-c", code, str(directory)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pid, url = process.stdout.readline().split()
    return process, int(pid), url


@pytest.mark.parametrize("state", ["running", "stopped"])
def test_a_killed_parent_leaves_no_server(tmp_path: Path, state: str) -> None:
    process, pid, _ = parent(tmp_path)
    if state == "stopped":
        os.kill(pid, signal.SIGSTOP)
    with process:
        process.kill()
    assert until(lambda: not running(pid))


def test_a_parent_killed_while_it_starts_leaves_no_server(tmp_path: Path) -> None:
    code = PARENT.replace("server.start()", "print(0, 0, flush=True); server.start()")
    for _ in range(5):
        process, *_ = parent(tmp_path, code)
        with process:
            process.kill()
    process, pid, url = parent(tmp_path)
    with process:
        assert say(url, "PING") == b"+PONG\r\n"
        process.kill()
    assert until(lambda: not running(pid))


def test_after_a_kill_the_next_proxy_has_the_data_and_removes_the_old_socket(tmp_path: Path) -> None:
    process, _, url = parent(tmp_path)
    say(url, "SET key value")
    with process:
        process.kill()
    server = EmbeddedValkey(tmp_path)
    server.start()
    assert say(server.url, "GET key") == b"$5\r\nvalue\r\n"
    assert not Path(url.removeprefix("unix://")).parent.exists()
    server.stop()


def test_workers_share_the_socket_and_do_not_keep_the_server_alive(tmp_path: Path) -> None:
    process, pid, url = parent(tmp_path, FORKING_PARENT)
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    try:
        assert say(url, "PING") == b"+PONG\r\n"
        process.kill()
        assert until(lambda: not running(pid))
        assert running(worker)
    finally:
        os.kill(worker, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def test_a_leftover_that_does_not_die_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "_LEFTOVER_SECONDS", 0.05)
    held = lock.lock_folder(tmp_path)
    (tmp_path / "lock").write_text("4194999")  # a process that never was
    with pytest.raises(StoreError, match="in use"):
        lock.lock_folder(tmp_path)
    os.close(held)


def guarded(parent_pid: int, code: str) -> subprocess.Popen[str]:
    """What systems other than Linux run, here around a Python process."""
    launcher = f"import runpy, sys; sys.platform = 'elsewhere'; runpy.run_path({LAUNCHER!r}, run_name='__main__')"
    command = [sys.executable, "-c", launcher, str(parent_pid), sys.executable, "-c", code]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_elsewhere_a_guard_passes_the_end_on() -> None:
    with guarded(os.getpid(), "import os, time; print(os.getpid(), flush=True); time.sleep(600)") as guard:
        assert guard.stdout is not None
        pid = int(guard.stdout.readline())
        guard.terminate()
        assert guard.wait(20) != 0
    assert not running(pid)


def test_elsewhere_a_guard_ends_the_server_of_a_dead_parent() -> None:
    no_parent_of_ours = 0
    with guarded(no_parent_of_ours, "import time; time.sleep(600)") as guard:
        assert guard.wait(20) != 0
