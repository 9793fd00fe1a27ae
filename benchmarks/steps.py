"""What each step of a policy contributes, and how its numbers move the figures: sessions replayed with one change.

    python -m benchmarks.steps FILE... [--policy NAME] [--window N] [--numbers]

Without `--numbers` each step is switched off in turn; with it each default number is moved down and up. A line reads
like a line of `forebay replay`; the first is the policy as it is. docs/steps.md shows tables that this printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from policies.schema import Policy
from proxy.replay import Recorded, load, requests
from proxy.replay.asked import setup_for
from proxy.replay.figures import Figures, figures, reading_back, total
from proxy.replay.many import replay_all
from proxy.replay.setup import Setup

Change = Mapping[str, Any]

OFF: dict[str, Change] = {
    "without spilling": {"on_arrival.spill.enabled": False},
    "without noise": {"on_arrival.noise.enabled": False},
    "without repeats": {"on_arrival.repeats.enabled": False},
    "without clearing results": {"history.clear_results.enabled": False},
    "without clearing arguments": {"history.clear_arguments.enabled": False},
    "without stale reads": {"history.stale_reads.enabled": False},
    "without error lines in stubs": {"history.stubs.error_tokens": 0},
    "without names in stubs": {"history.stubs.name_tokens": 0},
    "without the cost rule": {"history.cost_rule.enabled": False},
    "without lending": {"lend_unused": False},
    "without a way back": {"retrieval.enabled": False, "on_arrival.spill.enabled": False},
}
NUMBERS: dict[str, Sequence[Any]] = {
    "keep_last_turns": (6, 10, 12, 15, 20),
    "on_arrival.spill.threshold_tokens": (1000, 2000, 4000),
    "on_arrival.spill.source_threshold_tokens": (5000, 20000),
    "on_arrival.spill.preview_tokens": (300, 600, 1200),
    "history.clear_arguments.over_tokens": (100, 200, 500),
    "history.stubs.error_tokens": (0, 100, 200),
    "history.stubs.name_tokens": (0, 200, 400, 800, 1200),
    "history.cost_rule.slack": (0.0, 0.05, 0.1),
}
HEADS = ("tokens", "cost", "worst", "breaks", "evidence", "plain", "reuse", "readings", "with them")


def changed(policy: Policy, change: Change) -> Policy:
    """The policy with these keys, written as paths, changed."""
    values = policy.model_dump()
    for path, value in change.items():
        *sections, key = path.split(".")
        section = values
        for name in sections:
            section = section[name]
        if key not in section:
            raise KeyError(f"a policy has no key {path}")
        section[key] = value
    return Policy.model_validate(values)


def variants(policy: Policy, *, numbers: bool) -> Iterator[tuple[str, Change]]:
    """What is tried, by the name of its line."""
    if not numbers:
        yield from OFF.items()
        return
    flat = policy.model_dump()
    for path, values in NUMBERS.items():
        now: Any = flat
        for name in path.split("."):
            now = now[name]
        yield from ((f"{path} {value}", {path: value}) for value in values if value != now)


def line(name: str, of: Figures, back: Figures) -> str:
    """One variant's figures."""
    cells = (
        _share(of.token_ratio),
        _share(of.cost_ratio_without_our_tool),
        _share(of.worst_without_our_tool),
        "-" if of.breaks(of.forwarded) is None else f"{of.breaks(of.forwarded):.1f}",
        _share(of.evidence.share),
        _share(of.evidence.without_names / of.evidence.used if of.evidence.used else None),
        _share(of.reuse.share),
        "-" if back.readings_per_100 is None else f"{back.readings_per_100:.1f}",
        _share(back.cost_ratio),
    )
    return f"{name:<44}" + "".join(f"{cell:>10}" for cell in cells)


def table(sessions: Sequence[Recorded], setup: Setup, *, numbers: bool) -> Iterator[str]:
    """The policy as it is, then each variant."""
    policy = setup.policies[setup.policy_name]
    yield f"{'':<44}" + "".join(f"{head:>10}" for head in HEADS)
    for name, change in (("as it is", {}), *variants(policy, numbers=numbers)):
        tried = replace(setup, policies={**setup.policies, setup.policy_name: changed(policy, change)})
        played = replay_all(sessions, tried, lambda _: None)
        yield line(name, total([figures(one.main) for one in played]), reading_back(played))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--policy", default="default", metavar="NAME")
    parser.add_argument("--window", type=int, default=272_000, metavar="N")
    parser.add_argument("--numbers", action="store_true", help="move each number instead of switching steps off")
    arguments = parser.parse_args()
    sessions = [one for path in arguments.files for one in load(path) if any(True for _ in requests(one, ""))]
    setup = replace(setup_for(arguments.policy, window=arguments.window), others=())
    for told in table(sessions, setup, numbers=arguments.numbers):
        print(told, flush=True)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    main()
