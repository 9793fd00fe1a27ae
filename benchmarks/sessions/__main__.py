"""Write the sessions: `python -m benchmarks.sessions OUT_FOLDER`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import sessions
from benchmarks.sessions.long import long_session
from benchmarks.sessions.service import service_session
from benchmarks.sessions.short import short_sessions
from benchmarks.sessions.transcript import Transcript
from proxy.tokens import Counter

SERVICE_SESSIONS = 20


def made(root: Path, commits: int, seed: int, count: Callable[[str], int]) -> Iterator[tuple[str, Transcript]]:
    """Every session by its file's name, without the ending."""
    yield f"long/history-{seed}", long_session(root, commits, seed, count)
    for number, transcript in enumerate(short_sessions(root, seed, count), start=1):
        yield f"short/task-{seed}-{number:02}", transcript
    for number in range(1, SERVICE_SESSIONS + 1):
        yield f"service/desk-{seed}-{number:02}", service_session(f"{seed} {number}", count)


def main(words: Sequence[str] | None = None) -> None:
    """Write the files that the command line asks for, and print what came out."""
    parser = argparse.ArgumentParser(description=sessions.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT_FOLDER")
    parser.add_argument("--repository", type=Path, default=Path(__file__).parents[2], metavar="PATH")
    parser.add_argument("--commits", type=int, default=40, metavar="N", help="latest commits of the long session")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    arguments = parser.parse_args(words)
    count = Counter("o200k_base").count
    for name, transcript in made(arguments.repository, arguments.commits, arguments.seed, count):
        path = arguments.out / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(transcript.body(), ensure_ascii=False, indent=1) + "\n")
        print(f"{path}: {transcript.turns} turns, {transcript.tokens:,} tokens")


if __name__ == "__main__":
    main()
