"""What an undisturbed proxy forwards: the bytes that no fault may change."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.faults.bench import PATIENCE, bench, session


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The session's requests as they go upstream where nothing fails."""
    return asyncio.run(_undisturbed(tmp_path_factory.mktemp("undisturbed")))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers wait until it is known whether their originals were kept, however busy the machine is."""
    monkeypatch.setattr("proxy.http.completions.KEEPING_SECONDS", PATIENCE)


async def _undisturbed(folder: Path) -> list[bytes]:
    async with bench(folder) as at:
        answers = await at.play(session())
        assert {answer.status for answer in answers} == {200}
        assert {answer.degraded for answer in answers} == {None}
        assert answers[-1].headers["x-context-batches"] not in {"0", "1"}
        return at.forwarded
