"""What may happen to a folder: crashes, foreign hands, full and broken disks, other processes."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from proxy.artifacts import ledger
from proxy.artifacts.local import LocalArtifacts
from proxy.errors import StoreError

A, B = "art_aaaaaaaaaaaa", "art_bbbbbbbbbbbb"
NOW = 1_800_000_000.0


def artifacts(directory: Path, now: float = NOW) -> LocalArtifacts:
    return LocalArtifacts(directory, 1000, max_mb_per_session=64, max_mb_per_tenant=64, now=lambda: now)


def tree(directory: Path) -> list[Path]:
    return [directory, *directory.rglob("*")]


def files(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in tree(directory) if not path.is_dir())


def stored(directory: Path) -> list[str]:
    return [path.name for path in directory.glob("team/art_*")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "artifacts"


async def test_folders_and_files_are_private(root: Path) -> None:
    await artifacts(root).put("team", A, "result", "x", "s1")
    modes = {stat.filemode(path.stat().st_mode) for path in tree(root)}
    assert modes == {"drwx------", "-rw-------"}


async def test_its_name_is_its_locator_and_nothing_else_is_left(root: Path) -> None:
    await artifacts(root).put("team", A, "result", "x", "s1")
    assert files(root) == [f"team/{A}", f"team/sessions/s1/{A}"]


async def test_another_process_reads_what_was_put(root: Path) -> None:
    await artifacts(root).put("team", A, "result", "x", "s1")
    found = await artifacts(root).get("team", A)
    assert found is not None
    assert found.text == "x"
    assert await artifacts(root).usage_bytes("team") == (root / "team" / A).stat().st_size


WRITER = """
import asyncio, sys
from pathlib import Path
from proxy.artifacts.local import LocalArtifacts

async def main():
    store = LocalArtifacts(Path(sys.argv[1]), 10**6, 4000, 4000)
    print("ready", flush=True)
    for i in range(int(sys.argv[3])):
        name = "art_" + "".join("abcdefghijklmnop"[int(d, 16)] for d in f"{i:012x}")
        assert await store.put("team", name, "result", "x" * 300_000, sys.argv[2])

asyncio.run(main())
"""


def writer(root: Path, session: str, count: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(root), session, str(count)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.parametrize("written", [1, 4, 9])
async def test_a_kill_leaves_no_half_artifact(root: Path, written: int) -> None:
    with writer(root, "s1", 100_000) as process:
        while len(stored(root)) < written:
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    store = LocalArtifacts(root, 10**6, 4000, 4000)
    names = stored(root)
    found = [await store.get("team", name) for name in names]
    assert [artifact.text == "x" * 300_000 for artifact in found if artifact] == [True] * len(names)


async def test_two_processes_that_put_the_same_keep_one_file(root: Path) -> None:
    writers = [writer(root, session, 40) for session in ("s1", "s2", "s1")]
    for process in writers:
        with process:
            assert process.wait() == 0
    assert len(stored(root)) == 40
    found = await LocalArtifacts(root, 10**6, 4000, 4000).get("team", A)
    assert found is not None
    assert found.sessions == ("s1", "s2")


async def test_leftovers_of_a_killed_process_are_swept_once_they_are_old(root: Path) -> None:
    await artifacts(root).put("team", A, "result", "x", "s1")
    old, young = (root / "team" / f".new-{int(NOW) - age}-00ff" for age in (7200, 60))
    old.touch()
    young.touch()
    await artifacts(root).usage_bytes("team")
    assert (old.exists(), young.exists()) == (False, True)


async def test_expired_ones_are_swept_with_their_references(root: Path) -> None:
    await artifacts(root).put("team", A, "result", "x", "s1")
    await artifacts(root, NOW + 1001).put("team", B, "result", "x", "s2")
    assert files(root) == [f"team/{B}", f"team/sessions/s2/{B}"]


async def test_a_tenant_that_writes_no_more_is_swept_by_others(root: Path) -> None:
    await artifacts(root).put("gone", A, "result", "x", "s1")
    await artifacts(root).put("team", B, "result", "x", "s1")
    for _ in range(100):  # whoever counts sweeps one tenant at random beside
        await artifacts(root, NOW + 1001).usage_bytes("team")
    assert files(root / "gone") == []


async def test_a_sweep_is_bounded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = artifacts(root)
    for letter in "cdefg":
        await store.put("team", "art_" + letter * 12, "result", "x", "s1")
    monkeypatch.setattr(ledger, "_SWEEP_LIMIT", 3)
    home = os.open(root / "team", os.O_RDONLY)
    ledger.survey(home, NOW + 1001, 1000)
    os.close(home)
    assert len(files(root)) == 10 - 3


async def test_the_folder_is_not_walked_for_each_put(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, walks = artifacts(root), []

    def walk(home: int) -> ledger.Usage:
        walks.append(home)
        return ledger.Usage()

    monkeypatch.setattr(store, "_survey", walk)
    for letter in "abcdefgh":
        await store.put("team", "art_" + letter * 12, "result", "x", f"s{letter}")
    assert len(walks) == 1


async def test_a_deleted_folder_is_made_again(root: Path) -> None:
    store = artifacts(root)
    await store.put("team", A, "result", "x", "s1")
    shutil.rmtree(root)
    assert await store.get("team", A) is None
    assert await store.put("team", A, "result", "x", "s1")
    assert await store.get("team", A) is not None


async def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = artifacts(tmp_path / "file" / "artifacts")
    with pytest.raises(StoreError, match="cannot be used"):
        await store.put("team", A, "result", "x", "s1")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
async def test_a_read_only_folder_is_a_store_error(root: Path) -> None:
    await artifacts(root).put("team", A, "result", "x", "s1")
    (root / "team").chmod(0o500)
    with pytest.raises(StoreError):
        await artifacts(root).put("team", B, "result", "x", "s1")
    (root / "team").chmod(0o700)


@pytest.mark.parametrize("call", ["fsync", "link", "utime"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO])
async def test_a_disk_that_fails_while_writing_is_a_store_error_and_leaves_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int
) -> None:
    store = artifacts(root)
    await store.put("team", A, "result", "x", "s1")

    def fail(*_arguments: object, **_options: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        with pytest.raises(StoreError, match=r"cannot be used"):
            await store.put("team", B, "result", "x", "s1")
    assert files(root) == [f"team/{A}", f"team/sessions/s1/{A}"]
    assert await store.put("team", B, "result", "x", "s1")


async def test_a_link_in_place_of_the_tenant_is_not_followed(root: Path, tmp_path: Path) -> None:
    await artifacts(tmp_path / "outside").put("team", A, "result", "outside", "s1")
    os.makedirs(root)
    (root / "team").symlink_to(tmp_path / "outside" / "team")
    before = files(tmp_path / "outside")
    for action in (artifacts(root).get("team", A), artifacts(root).put("team", B, "result", "x", "s1")):
        with pytest.raises(StoreError):
            await action
    assert files(tmp_path / "outside") == before


async def test_a_link_in_place_of_an_artifact_is_not_followed_and_makes_way(root: Path, tmp_path: Path) -> None:
    await artifacts(root).put("team", A, "result", "x", "s1")
    secret = (root / "team" / A).rename(tmp_path / "secret")
    (root / "team" / A).symlink_to(secret)
    assert await artifacts(root).get("team", A) is None
    assert await artifacts(root).put("team", A, "result", "x", "s1")
    assert await artifacts(root).get("team", A) is not None
    assert secret.exists()


async def test_a_pipe_in_place_of_an_artifact_does_not_hang(root: Path) -> None:
    await artifacts(root).put("team", A, "result", "x", "s1")
    (root / "team" / A).unlink()
    os.mkfifo(root / "team" / A)
    assert await artifacts(root).get("team", A) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content + b"x",
        lambda content: content.replace(b"precious", b"Precious"),
        lambda content: content.replace(b"team", b"tame"),
        lambda content: b"\xff" + content[1:],
        lambda content: b"x" * 10_000,
        lambda content: content[:20] + b"\n" + content[20:],
    ],
)
async def test_a_damaged_file_is_unknown_and_can_be_put_again(root: Path, damage: object) -> None:
    assert callable(damage)
    await artifacts(root).put("team", A, "result", "a precious text", "s1")
    file = root / "team" / A
    file.write_bytes(damage(file.read_bytes()))
    os.utime(file, (NOW, NOW))
    assert await artifacts(root).get("team", A) is None
    assert await artifacts(root).put("team", A, "result", "a precious text", "s1")
    found = await artifacts(root).get("team", A)
    assert found is not None
    assert found.text == "a precious text"


async def test_an_artifact_moved_under_another_locator_or_tenant_is_unknown(root: Path) -> None:
    await artifacts(root).put("team", A, "result", "x", "s1")
    await artifacts(root).put("other", B, "result", "y", "s1")
    for place in (root / "other" / A, root / "team" / B):
        shutil.copy2(root / "team" / A, place)
    assert await artifacts(root).get("other", A) is None
    assert await artifacts(root).get("team", B) is None


async def test_erasing_leaves_no_copy_under_any_name(root: Path) -> None:
    store = artifacts(root)
    for session in ("s1", "s2", "s3"):
        await store.put("team", A, "result", "x", session)
    await store.erase("team", A)
    assert files(root) == []


async def test_caps_count_what_was_there_before_this_process(root: Path) -> None:
    megabyte = "x" * 1024 * 1024
    await artifacts(root).put("team", A, "result", megabyte, "s1")
    fresh = LocalArtifacts(root, 1000, max_mb_per_session=2, max_mb_per_tenant=99, now=lambda: NOW)
    assert not await fresh.put("team", B, "result", megabyte, "s1")


async def test_counts_of_many_tenants_are_bounded_and_still_right(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "TENANTS", 2)
    store = artifacts(root)
    for number in range(5):
        await store.put(f"t{number}", A, "result", "x" * 1000, "s1")
    sizes = {await store.usage_bytes(f"t{number}") for number in range(5)}
    assert sizes == {(root / "t0" / A).stat().st_size}
    assert len(store._ledger._usages) == 2
