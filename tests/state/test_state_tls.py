"""TLS, user and password on the way to a store. The server of the wheel speaks no TLS, so a relay ends it in front."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from proxy.errors import StoreError
from proxy.state.redis import StateStore
from tests.store_servers import SLOTS, Server, free_ports, server, until

USER, PASSWORD = "forebay", "p@ss/word"
LOGIN = "forebay:p%40ss%2Fword"


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key; self-made, so that it is its own authority."""

    path: Path
    key: Path


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """Of 127.0.0.1, made by openssl's command."""
    openssl = shutil.which("openssl")
    assert openssl, "these tests need the command openssl; install it (Debian: apt-get install openssl)"
    folder = tmp_path_factory.mktemp("tls")
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    name = ["-subj", "/CN=store", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(made.key), "-out", str(made.path)]
    subprocess.run([openssl, "req", *kind, *name, *files], check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def protected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that knows one user, and nobody without a name."""
    users = ("--user", USER, "on", f">{PASSWORD}", "~*", "&*", "+@all", "--user", "default", "off")
    with server(tmp_path_factory.mktemp("valkey") / "v", *users, username=USER, password=PASSWORD) as started:
        yield started


@asynccontextmanager
async def behind_tls(
    certificate: Certificate, target: int, port: int = 0, *, wants_certificate: bool = False
) -> AsyncIterator[int]:
    """A port that takes TLS and passes on what is in it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.path, certificate.key)
    if wants_certificate:
        context.load_verify_locations(certificate.path)
        context.verify_mode = ssl.CERT_REQUIRED
    relays: set[asyncio.Task[None]] = set()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        relays.add(task)
        inside, back = await asyncio.open_connection("127.0.0.1", target)
        pumps = {asyncio.create_task(pump(reader, back)), asyncio.create_task(pump(inside, writer))}
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in pumps:
                each.cancel()
            await asyncio.wait(pumps)
            back.transport.abort()
            writer.transport.abort()

    listener = await asyncio.start_server(relay, "127.0.0.1", port, ssl=context)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for each in relays:
            each.cancel()
        if relays:
            await asyncio.wait(relays)
        await asyncio.sleep(0)  # transports that were aborted close in the next round of the loop


async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(65_536):
            sink.write(data)
            await sink.drain()
    except OSError:
        pass


async def kept(url: str) -> None:
    """Write and read; StoreError where that cannot be done."""
    store = StateStore(url, timeout_ms=5_000)
    try:
        await store.run("set", lambda client: client.set("key", "value", ex=60))
        assert await store.run("get", lambda client: client.get("key")) == b"value"
    finally:
        await store.close()


async def refused(url: str) -> str:
    with pytest.raises(StoreError) as caught:
        await kept(url)
    assert PASSWORD not in str(caught.value)
    assert "p%40ss" not in str(caught.value)
    return str(caught.value)


async def test_a_store_behind_tls_with_user_and_password(certificate: Certificate, protected: Server) -> None:
    async with behind_tls(certificate, protected.port) as port:
        await kept(f"rediss://{LOGIN}@127.0.0.1:{port}/0?ssl_ca_certs={certificate.path}")


async def test_an_authority_that_nobody_knows_is_refused(certificate: Certificate, protected: Server) -> None:
    async with behind_tls(certificate, protected.port) as port:
        assert "CERTIFICATE_VERIFY_FAILED" in await refused(f"rediss://{LOGIN}@127.0.0.1:{port}/0")


async def test_a_certificate_of_another_name_is_refused_unless_names_do_not_matter(
    certificate: Certificate, protected: Server
) -> None:
    async with behind_tls(certificate, protected.port) as port:
        url = f"rediss://{LOGIN}@localhost:{port}/0?ssl_ca_certs={certificate.path}"
        assert "CERTIFICATE_VERIFY_FAILED" in await refused(url)
        await kept(f"{url}&ssl_check_hostname=false")


async def test_without_any_check_every_certificate_will_do(certificate: Certificate, protected: Server) -> None:
    async with behind_tls(certificate, protected.port) as port:
        await kept(f"rediss://{LOGIN}@127.0.0.1:{port}/0?ssl_cert_reqs=none")


async def test_a_store_that_wants_a_certificate_gets_ours(certificate: Certificate, protected: Server) -> None:
    async with behind_tls(certificate, protected.port, wants_certificate=True) as port:
        url = f"rediss://{LOGIN}@127.0.0.1:{port}/0?ssl_ca_certs={certificate.path}"
        await refused(url)
        await kept(f"{url}&ssl_certfile={certificate.path}&ssl_keyfile={certificate.key}")


@pytest.mark.parametrize("login", ["", ":p%40ss%2Fword@", "forebay:wrong@", "somebody:p%40ss%2Fword@"])
async def test_who_is_not_the_user_is_refused(protected: Server, login: str) -> None:
    await refused(f"redis://{login}127.0.0.1:{protected.port}")


async def test_a_cluster_behind_tls(tmp_path: Path, certificate: Certificate) -> None:
    (outside, bus) = free_ports(2)
    announced = ("--cluster-announce-ip", "127.0.0.1", "--cluster-announce-port", str(outside))
    options = ("--cluster-enabled", "yes", "--cluster-port", str(bus), "--requirepass", "pw", *announced)
    with server(tmp_path / "node", *options, password="pw") as node:
        node.call("CLUSTER ADDSLOTSRANGE", 0, SLOTS - 1)
        until(lambda: "cluster_state:ok" in node.text("CLUSTER INFO"), "cluster")
        async with behind_tls(certificate, node.port, outside):
            await kept(f"rediss+cluster://:pw@127.0.0.1:{outside}?ssl_ca_certs={certificate.path}")
