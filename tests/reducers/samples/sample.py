"""A sample of tool output, written by us: its text, its kind, and the lines that no preview may lose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """`vital` are error, exception and assertion-diff lines, `own` the lines of the program's own frames."""

    name: str
    kind: str
    text: str
    vital: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


def parts(name: str, kind: str, *pieces: str) -> Sample:
    """A sample from pieces of text in which a line that starts with `!!` is vital and one with `§§` is own."""
    lines: list[str] = []
    vital: list[str] = []
    own: list[str] = []
    for line in "\n".join(piece.strip("\n") for piece in pieces).split("\n"):
        mark, bare = (line[:2], line[2:]) if line[:2] in {"!!", "§§"} else ("", line)
        lines.append(bare)
        if mark == "!!":
            vital.append(bare)
        if mark == "§§":
            own.append(bare)
    return Sample(name, kind, "\n".join(lines), tuple(vital), tuple(own))
