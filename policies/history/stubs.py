"""What a stub says beside its locator and size: the first lines that report a failure, and names that would vanish.

So the model knows what there is to be fetched. `design.md` 4: at most 100 tokens of errors and 400 of names, together
at most 30 % of what they stand for; names were worth 10 to 15 points of evidence for one point of cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from policies.history.told import Told
from policies.reducers import recognise
from policies.reducers.preview import readable
from policies.terms import Terms

MOST_SHARE = 0.3
ARGUMENT_NAME_TOKENS = 200
"""Names listed for cleared arguments, at the most."""


def with_details(marker: str, index: int, text: str, tokens: int, told: Told, terms: Terms) -> str:
    """The marker of a cleared result with error lines and names below it."""
    rules = terms.policy.history.stubs
    room = int(MOST_SHARE * tokens)
    lines = list(_within(_errors(text, terms), min(rules.error_tokens, room), terms.count))
    room -= sum(terms.count(line) + 1 for line in lines)
    listed = _listed(index, text, "\n".join(lines), min(rules.name_tokens, room), told, terms)
    return "\n".join([marker, *lines, *([f"Names: {', '.join(listed)}"] if listed else [])])


def argument_names(index: int, text: str, tokens: int, told: Told, terms: Terms) -> list[str]:
    """The names that the marker of cleared arguments lists."""
    room = min(terms.policy.history.stubs.name_tokens, ARGUMENT_NAME_TOKENS, int(MOST_SHARE * tokens))
    return _listed(index, text, "", room, told, terms)


def _errors(text: str, terms: Terms) -> Iterator[str]:
    lines = readable(text)
    return (lines[number].strip() for number in recognise(lines).rank(lines, terms.outline).must)


def _listed(index: int, text: str, told_above: str, room: int, told: Told, terms: Terms) -> list[str]:
    """Names that fit the room, and that they stand now; what is in `told_above` need not be said again."""
    vanishing = (name for name in told.vanishing(index, text) if name not in told_above)
    listed = list(_within(vanishing, room, terms.count))
    told.cleared(index, listed)
    return listed


def _within(texts: Iterable[str], room: int, count: Callable[[str], int]) -> Iterator[str]:
    """Texts in order while there is room; each costs a separator too."""
    for text in texts:
        room -= count(text) + 1
        if room < 0:
            return
        yield text
