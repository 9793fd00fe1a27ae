"""What an undisturbed proxy forwards: the bytes that no fault may change."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.faults.bench import NO_STORE, PATIENCE, bench, session


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The session's requests as they go upstream where nothing fails."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        _be_patient(monkeypatch)
        return asyncio.run(_undisturbed(tmp_path_factory.mktemp("undisturbed")))


@pytest.fixture(scope="session")
def unspilled(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The same where no original can be kept."""
    return asyncio.run(_unspilled(tmp_path_factory.mktemp("unspilled")))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls and answers wait until it is known whether their originals were kept, however busy the machine is."""
    _be_patient(monkeypatch)


def _be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    for wait in ("proxy.http.originals.SPILLING_SECONDS", "proxy.http.originals.KEEPING_SECONDS",
                 "proxy.artifacts.local._SECONDS"):  # fmt: skip
        monkeypatch.setattr(wait, PATIENCE)


async def _undisturbed(folder: Path) -> list[bytes]:
    async with bench(folder) as at:
        answers = await at.play(session())
        assert {answer.status for answer in answers} == {200}
        assert {answer.degraded for answer in answers} == {None}
        assert answers[-1].headers["x-context-batches"] not in {"0", "1"}
        return at.forwarded


async def _unspilled(folder: Path) -> list[bytes]:
    async with bench(folder, state_url=NO_STORE) as at:
        return at.unspilled(session())
