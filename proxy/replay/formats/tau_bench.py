"""tau-bench results: a list of runs, each with its task, its reward and the agent's messages in `traj`.

The messages are OpenAI's as the agent sent them, call ids that come again in later turns and null fields
included. A run that failed before its first message has an empty `traj` and is left out. Definitions of the tools
are not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from proxy.replay.documents import Document
from proxy.replay.formats.chat import recorded
from proxy.replay.recorded import Place, Recorded, kind

TAU_BENCH = "tau-bench"


def recognises(value: Any) -> bool:
    """Whether a document is a run, or a list of runs."""
    match value:
        case {"traj": list()} | [{"traj": list()}, *_]:
            return True
        case _:
            return False


def sessions(documents: Sequence[Document], name: str) -> Iterator[Recorded]:
    """One session for each run, named after its place in the file, task and trial."""
    for number, (run, place) in enumerate(_runs(documents), start=1):
        yield _session(run, place, f"{name}#{number}")


def _runs(documents: Sequence[Document]) -> Iterator[tuple[Any, Place]]:
    for document in documents:
        if isinstance(document.value, list):
            for number, run in enumerate(document.value, start=1):
                yield run, document.place.at(f"run {number}")
        else:
            yield document.value, document.place


def _session(run: Any, place: Place, name: str) -> Recorded:
    if not isinstance(run, dict) or not isinstance(run.get("traj"), list):
        raise place.fault(f"expected a run with a list of messages in traj, found {kind(run)}")
    labels = [f"{key}-{run[key]}" for key in ("task_id", "trial") if isinstance(run.get(key), (int, str))]
    placed = [(value, place.at(f"message {number}")) for number, value in enumerate(run["traj"], start=1)]
    return recorded(placed, "-".join([name, *labels]), TAU_BENCH)
