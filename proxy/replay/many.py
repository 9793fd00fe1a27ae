"""Many sessions replayed: one after the other, or in several processes where there are enough of them."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from proxy.replay.play import replay
from proxy.replay.recorded import Recorded
from proxy.replay.rows import Replayed
from proxy.replay.setup import Setup

WORTH_PROCESSES = 8
"""With fewer sessions than this, starting processes (about a second each) costs more than it saves."""


def replay_all(
    sessions: Sequence[Recorded], setup: Setup, done: Callable[[str], None], workers: int | None = None
) -> list[Replayed]:
    """Every session, in the order given; `done` is told the name of each that is finished."""
    workers = min(workers or os.cpu_count() or 1, len(sessions))
    if workers < 2 or len(sessions) < WORTH_PROCESSES:
        return [_told(replay(session, setup), done) for session in sessions]
    # Spawned, not forked: the parent may hold threads, and a fork of those can hang.
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_interrupts_to_the_parent) as pool:
        largest_first = sorted(range(len(sessions)), key=lambda index: -len(json.dumps(sessions[index].messages)))
        places = {pool.submit(replay, sessions[index], setup): index for index in largest_first}
        found: dict[int, Replayed] = {}
        try:
            for future in as_completed(places):
                found[places[future]] = _told(future.result(), done)
        finally:
            pool.shutdown(cancel_futures=True)
    return [found[index] for index in range(len(sessions))]


def _told(replayed: Replayed, done: Callable[[str], None]) -> Replayed:
    done(replayed.name)
    return replayed


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
