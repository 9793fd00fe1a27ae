"""What a sentence says, as far as its words tell: a set of shingles that two wordings of one thing share.

Words that carry little are left out, endings are taken off, and each word and each pair of neighbours is a shingle.
Two sentences are near duplicates if they share half of all their shingles, or if one holds four fifths of a longer
other one's. Three things make them different whatever they share: one denies and the other does not; their numbers
differ; they are of one build and differ in one word (`high: ...`, `low: ...`), which is a list and no repetition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

LEAST_WORDS = 3
SHARED = 0.5
CONTAINED = 0.8
_LEAST_CONTAINED = 5

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['\u2019][^\W_]+)?")
_DENIALS = frozenset({"not", "no", "never", "without", "avoid", "cannot", "none", "neither", "nor", "refrain"})
_DENIED = re.compile(r"n['\u2019]t$")
_EMPTY_WORDS = (
    "a about again all also always am an and any are as at be been being but by can could did do does "
    "during each either else ensure every for from had has have her here his how i if important in into "
    "is it its just keep kindly make may me mean might mind must my need note of on or other our please "
    "really remember shall she should so some such sure than that the their them then there these they "
    "this those to too under up us very was we were what when where whether which while who will with "
    "would you your yours "
)
_EMPTY = frozenset(_EMPTY_WORDS.split())
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "ly", "s")
_LEAST_STEM = 4


@dataclass(frozen=True, slots=True)
class Said:
    """The words of one sentence that count, and what they amount to."""

    words: tuple[str, ...]
    shingles: frozenset[str]
    denies: bool
    numbers: frozenset[str]

    @property
    def pairs(self) -> list[str]:
        """The shingles of two words, in order: near duplicates share at least one of them."""
        return _pairs(self.words)


def said(sentence: str) -> Said:
    """What a sentence says."""
    words: list[str] = []
    denies = False
    for word in map(str.lower, _WORD.findall(sentence)):
        if word in _DENIALS or _DENIED.search(word):
            denies = True
        elif word not in _EMPTY:
            words.append(_stem(word))
    numbers = frozenset(word for word in words if word.isdigit())
    return Said(tuple(words), frozenset([*words, *_pairs(words)]), denies, numbers)


def alike(one: Said, other: Said) -> bool:
    """Whether two sentences say the same, in the sense of this module."""
    least = min(len(one.words), len(other.words))
    if least < LEAST_WORDS or one.denies != other.denies or one.numbers != other.numbers:
        return False
    if _parallel(one.words, other.words):
        return False
    shared = len(one.shingles & other.shingles)
    if shared >= SHARED * len(one.shingles | other.shingles):
        return True
    return least >= _LEAST_CONTAINED and shared >= CONTAINED * min(len(one.shingles), len(other.shingles))


def overlap(one: Said, other: Said) -> float:
    """Which part of all their shingles two texts share."""
    union = len(one.shingles | other.shingles)
    return len(one.shingles & other.shingles) / union if union else 0.0


def _parallel(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _pairs(words: Sequence[str]) -> list[str]:
    return [f"{first} {second}" for first, second in pairwise(words)]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > _LEAST_STEM else word
