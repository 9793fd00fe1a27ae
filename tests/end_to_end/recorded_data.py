"""The recorded sessions that lie beside the checkout, a bounded and always equal part of them, or all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from proxy.replay import Recorded, UnknownFormat, load

SUFFIXES = frozenset({".json", ".jsonl", ".traj"})
SESSIONS_PER_FORMAT = 3
FILES_PER_FOLDER = 20


def sessions_below(folder: Path, everything: bool) -> Iterator[Recorded]:
    """The sessions of all files below `folder`, by path; what is no recording (notes, test logs) is passed over.

    Without `everything`: the first few of each format, out of the first files of each folder. A recording that
    cannot be read is an error either way.
    """
    taken: Counter[str] = Counter()
    opened: Counter[Path] = Counter()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file()):
        opened[path.parent] += 1
        if opened[path.parent] > FILES_PER_FOLDER and not everything:
            continue
        try:
            sessions = load(path)
        except UnknownFormat:
            continue
        for session in sessions:
            taken[session.format] += 1
            if everything or taken[session.format] <= SESSIONS_PER_FORMAT:
                yield session
