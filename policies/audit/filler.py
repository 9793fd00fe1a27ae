"""Phrases that carry nothing: a sentence says the same without them.

The lists are short on purpose. What is on the first can be taken out wherever it stands, and the rest still reads as
an instruction; what is on the second has a short form. A word like "very" or "important" may be meant, so it is not
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from policies.audit.claims import Count, Part, Parts
from policies.audit.findings import Finding, Place

PHRASES = (
    r"as (?:an AI|a large)(?: language)? model,?",
    r"as (?:has been |was |already |previously )*(?:mentioned|stated|noted|described|explained|said)"
    r"(?: already)?(?: above| before| earlier| previously)?,?",
    r"at all times",
    r"at the end of the day,?",
    r"bear in mind that",
    r"do(?: not|n['\u2019]t) hesitate to",
    r"feel free to",
    r"first and foremost,?",
    r"i (?:would|['\u2019]d) like you to",
    r"it goes without saying that",
    r"it is (?:very |extremely |absolutely |critically )?(?:important|crucial|essential|vital|imperative|worth noting)"
    r"(?: to (?:note|remember|understand|keep in mind|realize|realise))? that",
    r"it is worth (?:mentioning|noting|remembering) that",
    r"it should (?:also )?be noted that",
    r"(?:please )?(?:always )?(?:keep in mind|remember|note)(?: at all times)? that",
    r"(?:please )?(?:always )?make (?:absolutely )?(?:sure|certain) (?:that you|to|you)(?: always)?",
    r"needless to say,?",
    r"please,?",
    r"take a deep breath(?: and)?",
    r"thank you(?: very much| so much)?(?: in advance)?(?: for [^.!\n]*)?[.!]?",
    r"to the best of your ability",
    r"we would like you to",
    r"you are expected to",
    r"your (?:job|task|goal|role|mission) is to",
)
SHORTER = (
    (r"due to the fact that", "because"),
    (r"for the purposes? of", "for"),
    (r"in order to", "to"),
    (r"in the event that", "if"),
)
_FILLER = re.compile("|".join(rf"(?:\b{phrase}(?!\w))" for phrase in PHRASES), re.IGNORECASE)
_RULES = ((_FILLER, " "), *((re.compile(rf"\b{long}\b", re.IGNORECASE), short) for long, short in SHORTER))
_MOST_QUOTED = 4


def without_filler(sentence: str) -> str:
    """The sentence without its empty phrases; the sentence itself where it has none."""
    left = sentence
    for rule, instead in _RULES:
        left = rule.sub(instead, left)
    return sentence if left == sentence else " ".join(left.split())


def filler(parts: Parts) -> Iterator[Finding]:
    """One finding for each section or schema that has some outside of what other findings claim."""
    for part in parts.all:
        finding = _of(part, parts)
        if finding is not None:
            yield finding


def _of(part: Part, parts: Parts) -> Finding | None:
    places: list[Place] = []
    phrases: dict[str, None] = {}
    tokens = 0
    for statement in parts.free(part.statements):
        saved = _saved(statement.text, parts.count)
        if saved > 0:
            places.append(statement.place)
            phrases.update(dict.fromkeys(_found(statement.text)))
            tokens += parts.claim(statement.place, saved)
    if not tokens:
        return None
    shown = ", ".join(list(phrases)[:_MOST_QUOTED])
    return Finding(
        kind="filler",
        tokens=tokens,
        places=tuple(places),
        quote=shown if len(phrases) <= _MOST_QUOTED else f"{shown}, ...",
        advice="take the phrases out or use their short forms",
        how="the tokens of these sentences, less those of the same sentences without the phrases",
        subject=f"{part.row.group} {part.row.name}",
    )


def _found(sentence: str) -> Iterator[str]:
    """The phrases of a sentence as they are quoted."""
    for rule, _ in _RULES:
        for phrase in rule.findall(sentence):
            yield " ".join(phrase.lower().split()).strip(",.!")


def _saved(sentence: str, count: Count) -> int:
    return count(sentence) - count(without_filler(sentence))
