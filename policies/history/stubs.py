"""What a stub says beside its locator and size: the first lines that report a failure, and names that would vanish.

So the model knows what there is to be fetched. At most 100 tokens of errors and 800 of names by default, together at
most half of what they stand for: names are what a stub is worth (docs/steps.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from policies import markers
from policies.reducers import recognise
from policies.reducers.errors import error_lines
from policies.reducers.preview import readable
from policies.scene import Scene, Text
from policies.terms import Terms

MOST_SHARE = 0.5
ARGUMENT_NAME_TOKENS = 200
"""Names listed for cleared arguments, at the most."""


def with_details(scene: Scene, marker: str, result: Text) -> str:
    """The marker of a cleared result with error lines and names below it."""
    rules, count = scene.terms.policy.history.stubs, scene.terms.count
    room = int(MOST_SHARE * result.tokens)
    lines = list(_within(errors(result.text, scene.terms), min(rules.error_tokens, room), count))
    room -= sum(count(line) + 1 for line in lines)
    listed = _listed(scene, result, "\n".join(lines), min(rules.name_tokens, room))
    return "\n".join([marker, *lines, *([f"[{markers.listed(listed)}]"] if listed else [])])


def argument_names(scene: Scene, arguments: Text) -> list[str]:
    """The names that the marker of cleared arguments lists."""
    most = min(scene.terms.policy.history.stubs.name_tokens, ARGUMENT_NAME_TOKENS)
    return _listed(scene, arguments, "", min(most, int(MOST_SHARE * arguments.tokens)))


def errors(text: str, terms: Terms) -> Iterator[str]:
    """The lines that a preview would keep whatever they cost; most texts report nothing."""
    lines = readable(text)
    must = recognise(lines).rank(lines, terms.outline).must if error_lines(lines) else ()
    return (lines[number].strip() for number in must)


def _listed(scene: Scene, cleared: Text, told_above: str, room: int) -> list[str]:
    """Names that fit the room, and that they stand now; what is in `told_above` need not be said again."""
    vanishing = (name for name in scene.told.vanishing(cleared.index, cleared.text) if name not in told_above)
    listed = list(_within(vanishing, room, scene.terms.count))
    scene.told.cleared(cleared.index, listed)
    return listed


def _within(texts: Iterable[str], room: int, count: Callable[[str], int]) -> Iterator[str]:
    """Texts in order while there is room; each costs a separator too."""
    for text in texts:
        room -= count(text) + 1
        if room < 0:
            return
        yield text
