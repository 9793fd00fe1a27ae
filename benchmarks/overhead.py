"""CPU per request of the proxy process beside a bare pass-through's, the same requests in the same run.

    python -m benchmarks.overhead [--rounds N]

Provider, bare pass-through, proxy and load are separate processes; each case sends its requests one after the
other over one connection, to bare and proxy in turn, round by round. Printed: CPU milliseconds per request of
either process (median of the rounds), their ratio, and the wall-clock medians per request.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from benchmarks.cases import Case, cases

TICKS = os.sysconf("SC_CLK_TCK")
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Server:
    """A process under load."""

    process: subprocess.Popen[str]
    url: str

    def cpu_seconds(self) -> float:
        """User and system time of the process so far, its threads included."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[str]]:
    """A process that ends when its standard input closes, or on SIGTERM."""
    process = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.communicate(timeout=30) if command[1] != "proxy" else _terminated(process)


def _terminated(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(timeout=30)


def _first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@contextmanager
def servers() -> Iterator[dict[str, Server]]:
    """Bare pass-through and proxy before one provider."""
    with started("-m", "benchmarks.provider") as provider:
        upstream = f"http://127.0.0.1:{_first_line(provider)}/v1"
        with started("-m", "benchmarks.bare", upstream) as bare, tempfile.TemporaryDirectory() as folder:
            bare_url = f"http://127.0.0.1:{_first_line(bare)}/v1/chat/completions"
            config = Path(folder) / "config.yaml"
            config.write_text(_config(upstream, folder))
            with started("-m", "proxy", "serve", "--config", str(config)) as proxy:
                address = next(word for word in _first_line(proxy).split() if word.startswith("http://"))
                yield {"bare": Server(bare, bare_url), "proxy": Server(proxy, f"{address}/chat/completions")}


def _config(upstream: str, folder: str) -> str:
    return f"""
server: {{port: 0, admin_port: 0}}
auth: {{mode: none}}
models:
  - {{name: m, upstream: openai/m, api_base: "{upstream}", api_key: unused, window: 2000000}}
state: {{directory: "{folder}/state"}}
artifacts: {{url: "{folder}/artifacts"}}
logging: {{level: warning}}
"""


async def measured(case: Case, server: Server) -> tuple[float, float]:
    """CPU and wall-clock milliseconds per request of one pass over the case."""
    timeout = aiohttp.ClientTimeout(total=120)
    async with aiohttp.ClientSession(timeout=timeout, headers={"content-type": "application/json"}) as client:
        wall: list[float] = []
        before = 0.0
        for number, body in enumerate(case.bodies()):
            if number == case.warm_up:
                before = server.cpu_seconds()
            if number == case.warm_up + case.requests:
                break
            begun = time.perf_counter()
            async with client.post(server.url, data=body) as answer:
                assert answer.status == 200, await answer.text()
                await answer.read()
            if number >= case.warm_up:
                wall.append(time.perf_counter() - begun)
        cpu = (server.cpu_seconds() - before) / len(wall)
        return 1_000 * cpu, 1_000 * statistics.median(wall)


async def run(rounds: int) -> None:
    """Print the table."""
    print(
        f"{'case':<28}{'bare CPU':>10}{'proxy CPU':>11}{'ratio':>8}{'bare p50':>11}{'proxy p50':>11}   ms per request"
    )
    with servers() as named:
        for case in cases():
            figures: dict[str, list[tuple[float, float]]] = {name: [] for name in named}
            for _ in range(rounds):
                for name, server in named.items():
                    figures[name].append(await measured(case, server))
            cpu = {name: statistics.median(one[0] for one in of) for name, of in figures.items()}
            wall = {name: statistics.median(one[1] for one in of) for name, of in figures.items()}
            print(
                f"{case.name:<28}{cpu['bare']:>10.2f}{cpu['proxy']:>11.2f}{cpu['proxy'] / cpu['bare']:>7.2f}x"
                f"{wall['bare']:>11.2f}{wall['proxy']:>11.2f}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds per case (default 3)")
    asyncio.run(run(parser.parse_args().rounds))
