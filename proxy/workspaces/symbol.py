"""A definition as the index keeps it: no text, only where it stands and by what it is known again.

The mark ties a citation to what was cited: a few bits of the definition's name, a few of its text. Whoever comes back
with a citation is told whether these lines still say the same, and if not, where that name stands now; nobody has to
remember what was cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

_NAME_BITS = 12
_TEXT_BITS = 20


class Symbol(msgspec.Struct, frozen=True, gc=False):  # so many objects would make every collection of garbage slow
    """A definition. `owner` is the name of what it stands in, empty at the top; lines count from 1, both included."""

    name: str
    kind: str
    owner: str
    first: int
    last: int
    mark: int

    @property
    def qualified(self) -> str:
        """`Owner.name`, or the name alone."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


@dataclass(frozen=True, slots=True)
class Hit:
    """A definition in a file of a workspace. `path` is relative, `shown` the path as this tenant knows it."""

    workspace: str
    path: str
    shown: str
    symbol: Symbol


def name_part(qualified: str) -> int:
    """What a mark says of the name."""
    return _bits(qualified.encode("utf-8", "replace"), _NAME_BITS)


def text_part(lines: Sequence[bytes]) -> int:
    """What a mark says of the text."""
    return _bits(b"\n".join(lines), _TEXT_BITS)


def mark(name: int, text: int) -> int:
    """A mark out of its two parts."""
    return name << _TEXT_BITS | text


def parts(of: int) -> tuple[int, int]:
    """The name's part of a mark and the text's."""
    return of >> _TEXT_BITS, of & ((1 << _TEXT_BITS) - 1)


def _bits(data: bytes, bits: int) -> int:
    return int.from_bytes(blake2b(data, digest_size=4).digest()) >> (32 - bits)
