"""What commands print, made from lines alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

WINDOW = 100
_LONGEST_LINE = 200


def plain(lines: Sequence[str], first: int, limit: int) -> str:
    """So many lines from a 0-based first one, and what is left behind them."""
    shown = "\n".join(lines[first : first + limit])
    left = len(lines) - first - limit
    return f"{shown}\n\n[{left} more lines in file. Use offset={first + limit + 1} to continue.]" if left > 0 else shown


def window(path: str, lines: Sequence[str], middle: int) -> str:
    """The 100 lines around a 0-based one, numbered, and how many stand above and below."""
    first = max(0, min(middle - WINDOW // 2, len(lines) - WINDOW))
    shown = lines[first : first + WINDOW]
    below = len(lines) - first - len(shown)
    head = [f"[File: {path} ({len(lines)} lines total)]", *([f"({first} more lines above)"] if first else [])]
    body = [f"{number}:{line}" for number, line in enumerate(shown, first + 1)]
    return "\n".join([*head, *body, *([f"({below} more lines below)"] if below else [])])


def matches(files: Iterable[tuple[str, Sequence[str]]], name: str, most: int) -> str:
    """`rg -n name`: path, line number and line of every match."""
    found = [
        f"{path}:{number}:{line[:_LONGEST_LINE]}"
        for path, lines in files
        for number, line in enumerate(lines, 1)
        if name in line
    ]
    return "\n".join(found[:most]) or "(no matches)"


def listing(paths: Iterable[str], folder: str, most: int = 120) -> str:
    """`find folder -type f | sort`."""
    inside = sorted(path for path in paths if not folder or path.startswith(f"{folder}/"))
    return "\n".join(inside[:most]) or f"find: '{folder}': No such file or directory"
