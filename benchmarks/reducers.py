"""What previews keep: the share of tokens against the share of own frames, at several limits.

    python -m benchmarks.reducers

Over the samples of `tests/reducers/samples` (test runs, builds, traces, logs) and, where it lies beside the checkout,
over `../shared/data/moatless-test-logs`. Tokens are those of `o200k_base`. "as it is": texts that get no preview,
because their error lines need more than four times the limit or little would be saved; they count as kept whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from policies.reducers.errors import error_lines
from policies.reducers.preview import preview, readable
from policies.reducers.reducer import no_outline
from policies.reducers.traces import frames
from proxy.tokens import Counter
from tests.reducers.samples import all_samples

LIMITS = (200, 400, 600, 1_000)
LOGS = Path(__file__).resolve().parents[2] / "shared" / "data" / "moatless-test-logs"
REPORTING = {"test run", "build log", "traceback", "log"}


@dataclass(slots=True)
class Kept:
    """Sums over the texts of one kind at one limit."""

    texts: int = 0
    whole: int = 0
    tokens: int = 0
    tokens_kept: int = 0
    errors: int = 0
    errors_kept: int = 0
    frames: int = 0
    frames_kept: int = 0
    own: int = 0
    own_kept: int = 0

    def take(self, text: str, limit: int, counter: Counter) -> None:
        """Reduce one text and add what is left of it."""
        made = preview(text, limit, "art_abcdefghijkl", counter.count, no_outline)
        page = set((made.text if made else text).split("\n"))
        lines, seen = text.split("\n"), readable(text)
        errors, found = error_lines(seen), frames(seen)
        whole = [frame for frame in found if all(lines[line] in page for line in frame.lines)]
        self.texts += 1
        self.whole += made is None
        self.tokens += counter.count(text)
        self.tokens_kept += made.tokens if made else counter.count(text)
        self.errors += len(errors)
        self.errors_kept += sum(1 for line in errors if lines[line] in page)
        self.frames += len(found)
        self.frames_kept += len(whole)
        self.own += sum(frame.own for frame in found)
        self.own_kept += sum(frame.own for frame in whole)

    def row(self, name: str, limit: int) -> str:
        shares = ((self.tokens_kept, self.tokens), (self.errors_kept, self.errors), (self.own_kept, self.own))
        told = "".join(
            f"{kept / of:13.3f}" if of else f"{'-':>13}" for kept, of in (*shares, (self.frames_kept, self.frames))
        )
        return f"{name:<22}{limit:>6}{self.texts:>7}{self.whole:>10}{told}"


def texts() -> Iterator[tuple[str, str]]:
    """Name of the group and text, for everything to be measured."""
    for sample in all_samples():
        if sample.kind in REPORTING:
            yield sample.kind, sample.text
    if LOGS.is_dir():
        for path in sorted(path for path in LOGS.rglob("*") if path.is_file()):
            yield "moatless-test-logs", path.read_text(encoding="utf-8", errors="replace")


def table(measured: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A line for each group and limit."""
    counter = Counter("o200k_base")
    heads = "".join(f"{head:>13}" for head in ("tokens", "error lines", "own frames", "all frames"))
    yield f"{'':<22}{'limit':>6}{'texts':>7}{'as it is':>10}{heads}"
    for group in dict.fromkeys(name for name, _ in measured):
        for limit in LIMITS:
            kept = Kept()
            for name, text in measured:
                if name == group:
                    kept.take(text, limit, counter)
            yield kept.row(group, limit)


def main() -> None:
    print("\n".join(table(list(texts()))))
    if not LOGS.is_dir():
        print(f"\n{LOGS} is absent: its logs are skipped")


if __name__ == "__main__":
    main()
