"""Diffs: which files, which hunks, what changed. Context leaves first, and nothing in a diff is an error line."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from policies.reducers.order import matching
from policies.reducers.reducer import Outline, Ranking, Reducer

_FILE = re.compile(
    r"diff --(?:git|cc|combined) |--- \S|\+\+\+ \S|rename (?:from|to) |(?:new|deleted) file mode|Binary files "
)
_HUNK = re.compile(r"@@@? -\d+(?:,\d+)? .*\+\d+(?:,\d+)? @@")
_CHANGED = re.compile(r"[-+]")
_BODY = re.compile(r"[-+ \\@]|diff |index |rename |similarity |(?:new|deleted) file|commit |Author|Date|$")

AT_ONCE = 9
"""One more than the changed lines that a hunk may show before all others have shown as many."""


def _recognises(lines: Sequence[str]) -> bool:
    first = next((number for number, line in enumerate(lines) if _HUNK.match(line)), None)
    if first is None or not any(line.startswith(("+++ ", "diff --")) for line in lines[:first]):
        return False
    body = lines[first:]
    fits = sum(1 for line in body if _BODY.match(line[:50]))
    return fits >= 0.95 * len(body) and len(body) >= 0.5 * len(lines)


def _rank(lines: Sequence[str], _outline: Outline) -> Ranking:
    heads = matching(lines, _FILE.match)
    hunks = matching(lines, _HUNK.match)
    told = {*heads, *hunks}
    changed = [number for number in matching(lines, _CHANGED.match) if number not in told]
    others = [number for number in range(len(lines)) if number not in told]
    files = sum(1 for number in heads if lines[number].startswith("+++ "))
    added = sum(1 for number in changed if lines[number][0] == "+")
    facts = f"{files} files, {len(hunks)} hunks, {added} lines added, {len(changed) - added} removed"
    return Ranking(
        (), [*heads, *_in_turn(sorted([*heads, *hunks, *changed]), set(hunks), set(changed)), *others], facts
    )


def _in_turn(marks: Sequence[int], hunks: Set[int], changed: Set[int]) -> list[int]:
    """The first hunk of every file with its first changes, then the second hunks, and so on; long hunks' rest last."""
    ranked: list[tuple[int, int, int]] = []
    turn = taken = 0
    for line in marks:
        if line in hunks:
            turn, taken = turn + 1, 0
        elif line in changed:
            taken += 1
        else:
            turn = 0
            continue
        ranked.append((taken // AT_ONCE, turn, line))
    return [line for _, _, line in sorted(ranked)]


DIFF = Reducer("diff", _recognises, _rank)
