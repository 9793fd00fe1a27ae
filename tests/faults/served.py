"""`forebay serve` as a process of its own, for what only a process can suffer.

Run as a script, this file is that process with one call of the operating system held: it tells a file that the call
was reached, and waits for ever. `python served.py CALL NUMBER FILE serve --config ...`
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SERVE = ("-m", "proxy", "serve")
_READY = re.compile(rb"ready: (\S+)/v1 for agents, (\S+) for health")


@dataclass(frozen=True)
class Served:
    """The process and where it listens."""

    process: asyncio.subprocess.Process
    url: str
    admin_url: str

    async def end(self, number: signal.Signals, seconds: float = 20) -> int:
        """Send a signal and wait for the end; the exit status."""
        self.process.send_signal(number)
        async with asyncio.timeout(seconds):
            return await self.process.wait()


@asynccontextmanager
async def served(
    config: Path,
    command: Sequence[str] = SERVE,
    before_exec: Callable[[], None] | None = None,
) -> AsyncIterator[Served]:
    """A proxy that is ready; killed on leaving, if it still runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, "--config", str(config),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, preexec_fn=before_exec,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            line = await process.stdout.readline()
        found = _READY.search(line)
        assert found is not None, f"instead of its addresses the proxy said {line!r}"
        yield Served(process, found[1].decode(), found[2].decode())
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        process._transport.close()  # type: ignore[attr-defined]  # else its pipe lives until the collector comes


def config_file(folder: Path, provider_url: str, window: int, **sections: Any) -> Path:
    """A configuration like that of `bench.settings`; JSON is YAML."""
    given: dict[str, Any] = {
        "secret": "a secret of the tests, the same in every proxy",
        "server": {"port": 0, "admin_port": 0, "shutdown_grace_seconds": 10},
        "auth": {"mode": "none"},
        "models": [
            {
                "name": "m",
                "upstream": "openai/m",
                "api_base": provider_url,
                "api_key": "key",
                "transport": "relay",
                "window": window,
                "window_includes_output": True,
            }
        ],
        "state": {"directory": str(folder / "state")},
        "artifacts": {"url": str(folder / "artifacts")},
        **sections,
    }
    path = folder / "config.yaml"
    path.write_text(json.dumps(given))
    return path


def hold(call: str, number: int, reached: Path) -> None:
    """Let the call go through, but not for the `number`-th time in the files of artifacts."""
    from proxy.artifacts import files  # noqa: PLC0415 -- this process only

    class Holding:
        calls = 0

        def __getattr__(self, name: str) -> Any:
            real = getattr(os, name)
            if name != call:
                return real

            def held(*given: Any, **options: Any) -> Any:
                Holding.calls += 1
                if Holding.calls == number:
                    reached.write_text("here")
                    threading.Event().wait()
                return real(*given, **options)

            return held

    setattr(files, "os", Holding())  # noqa: B010 -- the module's own name for it


if __name__ == "__main__":
    hold(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
    from proxy.cli import main

    sys.exit(main(sys.argv[4:]))
