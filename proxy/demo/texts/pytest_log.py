"""Output of pytest runs: hundreds of passing lines around the few that matter."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proxy.demo.texts.service_log import service_log
from proxy.demo.texts.vocabulary import THINGS

_SITUATIONS = (
    "refuses_a_stale_version", "keeps_the_order_of_arrival", "rounds_half_up", "names_the_missing_field",
    "is_idempotent_after_a_retry", "leaves_closed_rows_alone", "ignores_unknown_columns", "survives_an_empty_file",
    "counts_weekends_once", "writes_one_audit_line", "needs_a_supervisor", "stops_at_the_limit",
    "reads_what_it_wrote", "waits_for_the_lock", "shows_money_as_text", "falls_back_to_the_old_schedule",
)  # fmt: skip
_PLACES = ("rotterdam", "gdansk", "valencia", "aarhus", "piraeus", "bremerhaven")


@dataclass(frozen=True, slots=True)
class Failure:
    """One failing test: where it stands, the source pytest shows, and its `E` lines, exact."""

    test: str
    source: str
    errors: tuple[str, ...]
    raised_at: str


def pytest_output(seed: str, tests: int, failures: Sequence[Failure] = (), seconds: float = 14.2) -> str:
    """A verbose run of about `tests` tests; the failures come at the places their files sort to."""
    rng = random.Random(f"tests {seed}")
    failed = {failure.test for failure in failures}
    names = sorted({*failed, *(_test_name(rng) for _ in range(tests))})
    head = [
        "============================= test session starts ==============================",
        "platform linux -- Python 3.12.8, pytest-8.3.4, pluggy-1.5.0 -- /srv/quayside/.venv/bin/python",
        "cachedir: .pytest_cache", "rootdir: /srv/quayside", "configfile: pyproject.toml",
        "plugins: asyncio-0.25.0, cov-6.0.0, hypothesis-6.123.2",
        f"collecting ... collected {len(names)} items", "",
    ]  # fmt: skip
    runs = [
        f"{name} {'FAILED' if name in failed else 'PASSED'} [{100 * n // len(names):>3}%]"
        for n, name in enumerate(names, start=1)
    ]
    return "\n".join([*head, *runs, "", *_failures(failures, rng), *_end(failures, len(names), seconds)]) + "\n"


def _test_name(rng: random.Random) -> str:
    thing = rng.choice(list(THINGS.values()))
    folder = rng.choice(("billing", "gate", "yard", "berths", "wire"))
    case = f"[{rng.choice(_PLACES)}-{rng.randint(1, 31)}]" if rng.random() < 0.4 else ""
    return f"tests/{folder}/test_{thing.name}.py::test_{thing.action}_{rng.choice(_SITUATIONS)}{case}"


def _failures(failures: Sequence[Failure], rng: random.Random) -> Iterator[str]:
    if not failures:
        return
    yield "=================================== FAILURES ==================================="
    for number, failure in enumerate(failures):
        name = failure.test.split("::")[1]
        yield f" {name} ".center(80, "_")
        yield ""
        yield from (f"    {line}" if line else "" for line in failure.source.rstrip().splitlines())
        yield from (f"E       {line}" for line in failure.errors)
        yield ""
        yield f"{failure.raised_at}: {failure.errors[0].split(':')[0]}"
        yield "------------------------------ Captured log call -------------------------------"
        yield from service_log(f"{name} {number}", rng.randint(6, 14)).rstrip().splitlines()


def _end(failures: Sequence[Failure], total: int, seconds: float) -> Iterator[str]:
    if not failures:
        yield f"============================= {total} passed in {seconds:.2f}s ============================="
        return
    yield "=========================== short test summary info ============================"
    yield from (f"FAILED {failure.test} - {failure.errors[0]}" for failure in failures)
    counts = f"{len(failures)} failed, {total - len(failures)} passed in {seconds:.2f}s"
    yield f" {counts} ".center(80, "=")
