"""Which format a file is, told from its content, and its sessions.

Each format is a file with `recognises(value)` and `sessions(documents, name)`. The list below is the order in which
they are asked; the first document of a file decides for all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from proxy.replay.documents import Document, documents
from proxy.replay.formats import chat, pi, swe_agent, tau_bench
from proxy.replay.recorded import Recorded, kind

Reader = Callable[[Sequence[Document], str], Iterator[Recorded]]

FORMATS: tuple[tuple[Callable[[Any], bool], Reader], ...] = (
    (pi.recognises, pi.sessions),
    (swe_agent.recognises, swe_agent.sessions),
    (tau_bench.recognises, tau_bench.sessions),
    (chat.recognises, chat.sessions),
)

_EXPECTED = (
    "expected OpenAI messages (a list, a request body with messages, or JSON Lines of either), a SWE-agent "
    "trajectory with a history, a pi session log that starts with type session, or tau-bench results with traj"
)


def load(path: Path) -> list[Recorded]:
    """The sessions of a file, in order, without those that hold no message.

    Raises RecordingError with the place in the file, UnknownFormat where it holds none of the known formats.
    """
    found = documents(path)
    first = found[0]
    for recognises, sessions in FORMATS:
        if recognises(first.value):
            return [session for session in sessions(found, path.stem) if session.messages]
    raise first.place.unknown(f"{_EXPECTED}; found {kind(first.value)}{_keys(first.value)}")


def _keys(value: object) -> str:
    if isinstance(value, dict) and value:
        return f" with {', '.join(str(key)[:40] for key in list(value)[:5])}"
    return ""
