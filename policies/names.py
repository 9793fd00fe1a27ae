"""Names: what a model points at when it goes on working. Identifiers, paths, numbers, errors.

A stub keeps those that would otherwise vanish from the context, so that the model knows what there is to be fetched.
Ordinary words are no names: they can be said again by anybody.
"""

from __future__ import annotations

import re

_CANDIDATE = re.compile(r"[A-Za-z_][\w$]*(?:[./:-]+[\w$]+)*|\d[\d.:-]*\d|\d+")
_MOST_CHARACTERS = 120

_IS_ERROR = re.compile(r"(?:Error|Exception|Warning|Failure)$")
_INNER = re.compile(r"\d|_|[a-z][A-Z]|[./:]")


def names(text: str) -> dict[str, None]:
    """The names in a text, each once, in the order of their first appearance."""
    return {word: None for word in dict.fromkeys(_CANDIDATE.findall(text)) if _is_name(word)}


def _is_name(word: str) -> bool:
    if len(word) > _MOST_CHARACTERS:
        return False
    if word[0].isdigit():
        return sum(character.isdigit() for character in word) >= 3
    return len(word) >= 4 and bool(_INNER.search(word) or _IS_ERROR.search(word))
