"""A Prometheus server of one's own on loopback, and its answers."""

from __future__ import annotations

import asyncio
import math
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from aiohttp import ClientConnectionError, ClientSession

_READY_TRIES = 300


@dataclass(frozen=True, slots=True)
class Sample:
    """One series of an answer."""

    labels: dict[str, str]
    value: float


class Prometheus:
    """Asks the server at `url`."""

    def __init__(self, url: str, http: ClientSession) -> None:
        self._url, self._http = url, http

    async def query(self, expr: str) -> list[Sample]:
        """The value of an expression now; series without a number are left out."""
        data = await self._get("query", query=expr)
        samples = [Sample(series["metric"], float(series["value"][1])) for series in data["result"]]
        return [sample for sample in samples if not math.isnan(sample.value)]

    async def broken_rules(self) -> list[str]:
        """Rules that could not be evaluated, with the reason, and those that never were."""
        groups = (await self._get("rules"))["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        return [f"{rule['name']}: {rule.get('lastError', rule['health'])}" for rule in rules if rule["health"] != "ok"]

    async def ready(self) -> None:
        """Wait until it answers; TimeoutError if it does not."""
        for _ in range(_READY_TRIES):
            if await self._is_ready():
                return
            await asyncio.sleep(0.1)
        raise TimeoutError(f"Prometheus at {self._url} is not ready after {_READY_TRIES / 10:g} s")

    async def _is_ready(self) -> bool:
        try:
            async with self._http.get(f"{self._url}/-/ready") as response:
                return response.status == 200
        except ClientConnectionError:
            return False

    async def _get(self, what: str, **params: str) -> Any:
        async with self._http.get(f"{self._url}/api/v1/{what}", params=params) as response:
            answer = await response.json()
        if answer["status"] != "success":
            raise ValueError(f"Prometheus refuses {params or what}: {answer.get('error')}")
        return answer["data"]


@asynccontextmanager
async def prometheus(target: str, rules: Path, folder: Path, http: ClientSession) -> AsyncIterator[Prometheus]:
    """A server that scrapes `target` (host:port) every second as the job `forebay`; ended on leaving."""
    binary = shutil.which("prometheus")
    if binary is None:
        raise FileNotFoundError("there is no `prometheus` on the path; on Debian: apt-get install prometheus")
    config = folder / "prometheus.yml"
    config.write_text(yaml.safe_dump(_config(target, rules)), encoding="utf-8")
    address = f"127.0.0.1:{_free_port()}"
    process = await asyncio.create_subprocess_exec(
        binary,
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'tsdb'}",
        f"--web.listen-address={address}",
        "--log.level=error",
    )
    try:
        server = Prometheus(f"http://{address}", http)
        await server.ready()
        yield server
    finally:
        process.terminate()
        await process.wait()


def _config(target: str, rules: Path) -> dict[str, Any]:
    return {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "scrape_configs": [{"job_name": "forebay", "static_configs": [{"targets": [target]}]}],
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
