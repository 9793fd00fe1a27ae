"""One batch: the steps that make room, in order, until the input fits.

Clear what is old; summarise or drop the oldest turns if that was not enough; keep fewer turns whole, halving down to
two, and do it again; at last shorten the largest results that remain. Each function answers the offset of the first
changed token, None where nothing changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from policies.conversation import Conversation
from policies.edits import Replace
from policies.history import leave
from policies.history.candidates import Candidates
from policies.history.shorten import shorten
from policies.scene import Scene
from policies.terms import Terms
from policies.view import View

FEWEST_TURNS = 2
SETTLED_SHARE = 0.75
"""Once the keep window had to shrink, it shrinks until this part of the input limit holds everything, so that the
next batch is some turns away and not one."""
SHORTEST = 60
"""No result is shortened below this many tokens: about two markers."""


def clear(scene: Scene, candidates: Candidates, keep: int) -> int | None:
    """Put everything in place that waits to be cleared."""
    offset = candidates.offset
    changes = candidates.taken()
    if not changes:
        return None
    scene.view.apply(changes)
    scene.seen.repoint(scene.view, keep)  # pointers stand behind what they point at, so the offset holds
    return offset


def make_room(scene: Scene, candidates: Candidates) -> int | None:
    """A batch that the window forces."""
    changed: list[int | None] = []
    then = scene.terms.policy.history.then
    may_summarise = then == "summarise"
    for keep in keep_windows(scene.terms.policy.keep_last_turns):
        candidates.look(scene, scene.view.keep_start(keep))
        changed.append(clear(scene, candidates, keep))
        if may_summarise and leave.is_overfull(scene, keep):
            changed.append(leave.summarise(scene, keep))
            may_summarise = False
        if then != "nothing":
            changed.append(leave.drop(scene, keep))
        if _settled(scene.view, scene.terms, keep):
            break
    else:
        if not _fits(scene):
            changed.append(leave.unsay(scene, FEWEST_TURNS))
        changed.append(_shorten(scene))
    return min((offset for offset in changed if offset is not None), default=None)


def keep_windows(keep: int) -> Iterator[int]:
    """`keep` halved again and again, down to two turns."""
    while keep > FEWEST_TURNS:
        yield keep
        keep //= 2
    yield FEWEST_TURNS


def _settled(view: View, terms: Terms, keep: int) -> bool:
    total = terms.fixed_tokens + view.total
    if FEWEST_TURNS < keep < terms.policy.keep_last_turns:
        return total <= SETTLED_SHARE * terms.budget.input_limit
    return total <= terms.budget.input_limit


def _fits(scene: Scene) -> bool:
    return scene.terms.fixed_tokens + scene.view.total <= scene.terms.budget.input_limit


def _shorten(scene: Scene) -> int | None:
    """Shorten the largest results, oldest first, until the input fits."""
    view, conversation, terms = scene.view, scene.conversation, scene.terms
    results = list(_results(view, conversation))
    excess = terms.fixed_tokens + view.total - terms.budget.input_limit
    cap = _cap([size for _, _, size in results], excess)
    first: int | None = None
    for index, part, size in results:
        if terms.fixed_tokens + view.total <= terms.budget.input_limit:
            break
        if size <= cap:
            continue
        text = conversation.text(index, part)
        locator = terms.locate("result", text.encode())
        shorter = shorten(text, cap, locator, terms)
        after = terms.count(shorter)
        if after < size:
            before = conversation.messages[index].parts[part]
            view.apply([Replace(index, part, shorter, locator, before, after, "shorten")])
            first = view.offset(index) if first is None else first
    return first


def _results(view: View, conversation: Conversation) -> Iterator[tuple[int, int, int]]:
    """Message, part and present size of every result that is still there, oldest first."""
    for index, message in enumerate(conversation.messages[: view.messages]):
        if message.role == "tool" and view.weights[index]:
            for part, tokens in enumerate(message.parts):
                yield index, part, view.standing((index, False, part), tokens)


def _cap(sizes: list[int], excess: int) -> int:
    """The size to which all larger ones must come down to save `excess`, at least `SHORTEST`."""
    sizes = sorted(sizes, reverse=True)
    above = 0
    for count, size in enumerate(sizes, start=1):
        above += size
        following = sizes[count] if count < len(sizes) else 0
        if above - count * following >= excess:
            return max(SHORTEST, (above - excess) // count)
    return SHORTEST
