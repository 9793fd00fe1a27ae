"""What the agent says: a sentence or two that name what it has just read, and what it remembers of earlier reads."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_NAME = re.compile(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z][a-z]+(?:[A-Z]\w+)+|[A-Z]{3,}(?:_[A-Z]+)+)\b")
_DEFINED = re.compile(r"^\s*(?:async )?(?:def|class|func|fn|function) (\w{5,})")

_READ = (
    "{path} has {a}; {b} is where this hangs together.",
    "What matters here is {a}. I keep {b} as it is.",
    "So {a} decides, and {b} only follows from it. That is the place to change.",
    "{a} does not know of it yet. {b} would be the natural place.",
    "I see: {a} is called with what {b} gives, so both have to move together in {path}.",
)
_REMEMBERED = (
    "{a} comes from {place}, which I have seen.",
    "This leans on {a} ({place}); I leave that side alone.",
    "Same shape as {a} at {place}, so I follow it.",
)
_CHANGE = (
    "In {path}: {a} in place of what stands there.",
    "Now the change itself, {a} with {b}.",
    "I change {a} and leave the rest of {path} alone.",
    "",
)


def names_in(text: str) -> list[str]:
    """The identifiers of a text that say something, in alphabetical order."""
    return sorted(set(_NAME.findall(text)))


@dataclass
class Remarks:
    """The agent's memory of where names are defined, and its turns of phrase."""

    random: random.Random
    places: dict[str, str] = field(default_factory=dict)

    def notice(self, path: str, lines: Sequence[str], first: int = 0) -> None:
        """Remember the definitions in lines that start at a 0-based line of a file."""
        for number, line in enumerate(lines, first + 1):
            if match := _DEFINED.match(line):
                self.places.setdefault(match[1], f"{path}:{number}")

    def of_reading(self, path: str, text: str) -> str:
        """About a text that was read; now and then about a name in it that was defined elsewhere."""
        said = self._phrase(_READ, path, text)
        known = [name for name in names_in(text) if name in self.places and not self.places[name].startswith(path)]
        if known and self.random.random() < 0.45:
            name = self.random.choice(known)
            said += " " + self.random.choice(_REMEMBERED).format(a=f"`{name}`", place=self.places[name])
        return said

    def of_change(self, path: str, text: str) -> str:
        """About a change that is made with this text."""
        return self._phrase(_CHANGE, path, text)

    def _phrase(self, phrases: Sequence[str], path: str, text: str) -> str:
        names = names_in(text) or [path]
        first, second = self.random.choice(names), self.random.choice(names)
        return self.random.choice(phrases).format(path=path, a=f"`{first}`", b=f"`{second}`")
